import type { MarketsAnswer, RuleChange } from "@longarm/contract/staff-markets";
import type { TermsRow } from "@longarm/contract/staff-terms";
import type { Kysely } from "kysely";
import * as z from "zod/mini";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { MARKET_IDS, MARKETS, marketChoices, RULE_NAMES } from "../../protection/markets/index.ts";
import type { TermsVersion } from "../../protection/terms/index.ts";
import { addTerms, listTerms, wordsIn } from "../../protection/terms/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import type { LooserMarket } from "../desk/index.ts";
import { chooseAtDesk, chooseSigned } from "../desk/index.ts";
import type { StaffCaller, Waits } from "../sign-in/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** The venue's market with its rules, markets of players and machines, and the terms of use by version. */
export function marketHandlers(deps: ActsDeps): Handlers {
  const { db, source } = deps;
  return {
    markets: async () => ({
      markets: MARKET_IDS.map((id) => {
        const { name, currency, rules } = MARKETS[id];
        return { id, name, currency, rules: RULE_NAMES.map((rule) => ({ name: rule, ...rules[rule] })) };
      }),
      choices: await choicesOf(source),
      asOf: (await listed(db, [])).asOf,
    }),
    chooseMarket: ({ act, caller, body }) =>
      doAct(deps, act(), async (trx) => {
        const { scope, subject, market, expected, amountsIn, dryRun, reason } = body;
        const wanted = { scope, subject, market, expected, amountsIn, dryRun, by: caller().username, reason };
        const chosen = await chooseAtDesk(
          wholeOf(trx),
          wanted,
          deps.secondPerson ? (looser) => requestLooser(deps, trx, caller(), wanted, looser) : undefined,
        );
        return "done" in chosen ? chosen.done : chosen.otherwise;
      }),
    termsVersions: async ({ query: { after, limit } }) => {
      const found = await listTerms(source, { below: after === undefined ? null : numberIn(after), limit });
      const last = found.at(-1)?.number ?? 1;
      return await listed(db, found.map(termsRow), found.length === limit && last > 1 ? String(last) : null);
    },
    termsVersion: async ({ params }) => {
      const [found] = await listTerms(source, { number: numberIn(params["number"] ?? ""), limit: 1 });
      if (found === undefined) throw new Refused("thing.unknown", { kind: "version" });
      return { ...termsRow(found), texts: found.texts };
    },
    addTerms: ({ act, caller, body: { expected, validFrom, texts, reason } }) =>
      doAct(deps, act(), async (trx) => {
        const at = validFrom === undefined ? null : new Date(validFrom).toISOString();
        const added = await addTerms(wholeOf(trx), { expected, validFrom: at, texts, by: caller().username, reason });
        if (added === undefined) throw new Refused("settings.changed");
        return { number: added.number, validFrom: added.validFrom.toISOString() };
      }),
  };
}

type Requested = { readonly by: string; readonly reason: string };

/** A market that loosens any rule waits for a second person, who sees each rule that changes. */
function requestLooser(
  { random }: Pick<ActsDeps, "random">,
  trx: StaffTransaction,
  caller: StaffCaller,
  { by, reason }: Requested,
  { before, market, ...would }: LooserMarket,
): Promise<Waits> {
  const { scope, subject, changes } = would;
  return requestApproval(trx, random, caller, {
    kind: "market.loosen",
    subject: scope === "venue" ? "market:venue" : `${scope}:${subject}`,
    reason,
    content: { scope, subject, market, before, by },
    evidence: changes.flatMap(evidenceOf),
    would,
  });
}

/** A line for a rule; for one of several parts a line for each part that changes: whole, they would be too long to read and to keep. */
function evidenceOf({ name, before, after, becomes }: RuleChange): { label: string; value: string }[] {
  const line = (label: string, was: unknown, will: unknown) => ({
    label: `${label} (${becomes})`,
    value: `${JSON.stringify(was ?? null)} → ${JSON.stringify(will ?? null)}`.slice(0, 500),
  });
  if (!isRecord(before) || !isRecord(after)) return [line(name, before, after)];
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return parts
    .filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]))
    .map((part) => line(`${name}.${part}`, before[part], after[part]));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const LoosenContent = z.strictObject({
  scope: z.enum(["venue", "player", "machine"]),
  subject: z.string(),
  market: z.nullable(z.enum(MARKET_IDS)),
  before: z.nullable(z.enum(MARKET_IDS)),
  by: z.string(),
});

/** What a second signature chooses. */
export const marketExecutes = (): Executes => ({
  "market.loosen": (trx, content, { reason }) =>
    chooseSigned(wholeOf(trx), { ...z.parse(LoosenContent, content), reason }),
});

async function choicesOf(source: Kysely<unknown>): Promise<z.input<typeof MarketsAnswer>["choices"]> {
  const players = source.withTables<PlayersTables>();
  const shown: z.input<typeof MarketsAnswer>["choices"] = [];
  for (const { at, ...choice } of await marketChoices(source.withTables<MarketTables>())) {
    const name =
      choice.scope === "player"
        ? ((await findPlayer(players, choice.subject))?.username ?? choice.subject)
        : choice.subject;
    shown.push({ ...choice, name, at: at.toISOString() });
  }
  return shown;
}

/** @throws Refused. */
function numberIn(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Refused("request.invalid", { where: "number" });
  return Number(text);
}

function termsRow({
  number,
  validFrom,
  state,
  texts,
  by,
  at,
  reason,
  accepted,
}: TermsVersion): z.input<typeof TermsRow> {
  return {
    ...{ number, state, by, reason, accepted },
    validFrom: validFrom.toISOString(),
    at: at.toISOString(),
    title: wordsIn(texts, "en").words.title,
    languages: (["tr", "en", "ar"] as const).filter((language) => texts[language] !== undefined),
  };
}
