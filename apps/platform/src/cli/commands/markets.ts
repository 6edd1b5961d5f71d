import type { RuleChange } from "@longarm/contract/staff-markets";
import type { Kysely } from "kysely";
import type { MarketTables } from "../../modules/protection/markets/index.ts";
import { MARKET_IDS, MARKETS, marketChoices, RULE_NAMES } from "../../modules/protection/markets/index.ts";
import type { ChosenMarket, WantedMarket } from "../../modules/staff/desk/index.ts";
import { chooseAtDesk } from "../../modules/staff/desk/index.ts";
import type { Command, CommandDeps } from "../command.ts";
import { actCommand, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, oneOf, option, plainText, requiredReason } from "../fields.ts";
import { printableLine, sayTable, timeText } from "../output.ts";
import { asStaff } from "../staff.ts";

const show = command({
  name: "markets show",
  about: "show whose rules hold: the venue's market, and players and machines with one of their own",
  more: "  longarm markets show",
  async run({ db, say }) {
    const choices = await marketChoices(db.withTables<MarketTables>());
    sayTable(say, choices, ({ scope, subject, market, by, reason, at }) => [
      scope === "venue" ? "venue" : `${scope} ${subject}`,
      market === null ? "" : `${market} (${MARKETS[market].name})`,
      `${timeText(at)} by ${by}: ${reason}`,
    ]);
    if (choices.length === 0) say("No market was chosen: no rules of a regulator hold.");
    return { choices };
  },
});

const rules = command({
  name: "markets rules",
  about: "list the rules of a market, each with its clause and the date of the text",
  more: "  longarm markets rules gb",
  arguments: { market: argument("one of the markets", oneOf(MARKET_IDS)) },
  async run({ say }, { market }) {
    const { name, rules: all } = MARKETS[market];
    say(`${market}: ${name}`);
    sayTable(say, RULE_NAMES, (rule) => {
      const { value, source } = all[rule];
      const from = source === null ? "ours" : `${source.clause}, ${source.version}, ${SEEN[source.seen]}`;
      return [rule, printableLine(JSON.stringify(value)), from];
    });
    return { market, rules: all };
  },
});
const SEEN = { text: "read", summary: "read in a summary", unchecked: "not checked: ask an adviser" } as const;

const choose = actCommand({
  name: "markets choose",
  needs: "settings.change",
  about: "choose the market whose rules hold for the venue, a player or a machine; of all the strictest holds",
  more: [
    '  longarm markets choose gb --amounts-in GBP --reason "licence of 2026"',
    '  longarm markets choose de --amounts-in EUR --player deniz.aydin --reason "lives in Berlin"',
    '  longarm markets choose none --machine nar-01 --reason "as the venue"',
    "",
    "Amounts of a market hold number for number in the venue's currency, which --amounts-in names; nothing is converted.",
    "A choice that makes any rule looser needs a second person.",
    "A player or a machine whose market is none follows the venue. Play that runs follows within a third of the seat's lease (SEAT_LEASE_MS).",
  ].join("\n"),
  arguments: { market: argument("one of the markets", oneOf(MARKET_IDS)) },
  options: {
    player: option("<username>", "for this player alone", plainText),
    machine: option("<id>", "for this machine alone", plainText),
    amountsIn: option("<currency>", "the venue's currency, where the market has amounts", plainText),
    reason: requiredReason("why"),
    dryRun: DRY_RUN,
  },
  check({ player, machine }) {
    if (player !== undefined && machine !== undefined) throw new UsageProblem("Name a player or a machine, not both.");
  },
  async run(deps, { market, player, machine, amountsIn, reason, by, dryRun }) {
    const whose = whoseOf(player, machine);
    const to = market === "none" && whose.scope !== "venue" ? null : market;
    const wanted = { ...whose, market: to, reason, ...(amountsIn !== undefined && { amountsIn }) };
    const line = `${whose.scope === "venue" ? "the venue" : `the ${whose.scope} ${player ?? machine}`}: ${to ?? "the venue's market"}`;
    const { caller } = deps.acting;
    if (caller !== null) {
      const outcome = await actAtDesk(deps, caller, "chooseMarket", { params: {}, fields: wanted, dryRun });
      if (outcome.is !== "waiting") sayChosen(deps, outcome.result as Chosen);
      return sayOutcome(deps, outcome, { done: () => `Chosen for ${line}.`, would: `choose for ${line}` });
    }
    const { done: chosen } = await asStaff(deps, by, (trx) => chooseAlone(trx, { ...wanted, dryRun, by }), dryRun);
    sayChosen(deps, chosen);
    deps.say(printableLine(dryRun ? `Would choose for ${line}. Nothing was changed.` : `Chosen for ${line}.`));
    return { ...chosen, market: to, dryRun };
  },
});

/** The server's own user needs no second person. */
async function chooseAlone(trx: Kysely<unknown>, wanted: WantedMarket): Promise<{ done: ChosenMarket }> {
  const chosen = await chooseAtDesk(trx, wanted);
  if ("done" in chosen) return chosen;
  throw new Error("no second person was wanted");
}

function whoseOf(player: string | undefined, machine: string | undefined) {
  if (player !== undefined) return { scope: "player", subject: player } as const;
  return machine === undefined ? ({ scope: "venue" } as const) : ({ scope: "machine", subject: machine } as const);
}

type Chosen = { readonly changes: readonly RuleChange[]; readonly amounts?: ChosenMarket["amounts"] };

/** Which rules change, a line each, and in which currency the market means its amounts. */
function sayChosen({ say }: Pick<CommandDeps, "say">, { changes, amounts }: Chosen): void {
  if (amounts != null)
    say(`${amounts.rules.join(", ")}: amounts of ${amounts.currency}; the same numbers hold in the venue's currency.`);
  sayTable(say, changes, ({ name, before, after, becomes }) => [
    name,
    printableLine(`${JSON.stringify(before)} → ${JSON.stringify(after)}`),
    becomes === "different" ? "" : becomes,
  ]);
}

export const marketCommands: readonly Command[] = [show, rules, choose];
