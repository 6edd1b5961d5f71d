import { isDeepStrictEqual } from "node:util";
import type { RuleChange } from "@longarm/contract/staff-markets";
import type { Kysely } from "kysely";
import * as z from "zod/mini";
import { machineExists } from "../../play/machines.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayersNamed } from "../../players/accounts/index.ts";
import type { MarketId, MarketScope, MarketTables, RuleName, Rules } from "../../protection/markets/index.ts";
import {
  chooseMarket,
  MARKET_IDS,
  MARKETS,
  marketChoices,
  RULE_NAMES,
  rulesOfMarket,
  strictest,
} from "../../protection/markets/index.ts";
import { newestVersion } from "../../records/settings/index.ts";
import { Refused } from "../sign-in/index.ts";

/** A choice as a person sends it. */
export type WantedMarket = {
  readonly scope: MarketScope;
  /** Id of a machine, username or id of a player; absent: the venue. */
  readonly subject?: string | undefined;
  /** Null: none of their own. */
  readonly market: string | null;
  /** What holds as the person saw it; absent: whatever holds. */
  readonly expected?: string | null | undefined;
  /** The venue's currency, in which the market's amounts hold number for number. */
  readonly amountsIn?: string | undefined;
  /** Nothing will be kept: what is only to be confirmed is not demanded. */
  readonly dryRun?: boolean | undefined;
  readonly by: string;
  readonly reason: string;
};

/** What a choice comes to. `amounts`: rules with amounts, and the currency that the market means; null: none, or in no currency. */
export type ChosenMarket = {
  readonly scope: MarketScope;
  readonly subject: string;
  readonly changes: RuleChange[];
  readonly amounts: { readonly currency: string; readonly rules: RuleName[] } | null;
};

/** What a second person must sign, because a rule becomes looser. */
export type LooserMarket = ChosenMarket & { readonly before: MarketId | null; readonly market: MarketId | null };

/**
 * Chooses a market for the venue, a player or a machine. Answers whom it is for, and each rule that changes: of a player or a machine beside those
 * of the venue. `second`: what is done in its place where any rule does not become stricter; absent: no second person is needed.
 * @throws Refused `act.refused`: there is no such market, player or machine, it holds already, another was chosen since, or its amounts are in a
 * currency and the venue's was not named.
 */
export async function chooseAtDesk<Otherwise = never>(
  trx: Kysely<unknown>,
  { scope, subject: named, market: wanted, expected, amountsIn, dryRun, by, reason }: WantedMarket,
  second?: (looser: LooserMarket) => Promise<Otherwise>,
): Promise<{ done: ChosenMarket } | { otherwise: Otherwise }> {
  const db = trx.withTables<MarketTables>();
  const subject = await subjectOf(trx, scope, named);
  const to = marketOf(wanted);
  const choices = await marketChoices(db);
  const chosen = (of: MarketScope, whose: string) =>
    choices.find((one) => one.scope === of && one.subject === whose)?.market ?? null;
  const [now, venue] = [chosen(scope, subject), scope === "venue" ? null : chosen("venue", "")];
  if (expected !== undefined && expected !== now)
    throw new Refused("act.refused", { sentence: "Somebody else has chosen another market since: look again." });
  if (to === now) throw new Refused("act.refused", { sentence: "This market holds already." });
  const amounts = amountsOf(to);
  if (amounts !== null && dryRun !== true) await checkCurrency(trx, amounts, amountsIn);
  const changes = changesBetween(together(venue, now), together(venue, to));
  const outcome = { scope, subject, changes, amounts };
  if (second !== undefined && changes.some(({ becomes }) => becomes !== "stricter"))
    return { otherwise: await second({ ...outcome, before: now, market: to }) };
  await chooseMarket(db, { scope, subject, market: to, by, reason });
  return { done: outcome };
}

/** Chooses what a second person has signed. @throws Refused `approval.changed`: another market was chosen since. */
export async function chooseSigned(
  trx: Kysely<unknown>,
  {
    before,
    ...choice
  }: Pick<WantedMarket, "by" | "reason"> & Pick<LooserMarket, "scope" | "subject" | "before" | "market">,
): Promise<void> {
  const db = trx.withTables<MarketTables>();
  const held = (await marketChoices(db)).find(
    ({ scope, subject }) => scope === choice.scope && subject === choice.subject,
  );
  if ((held?.market ?? null) !== before) throw new Refused("approval.changed");
  await chooseMarket(db, choice);
}

/** Rules of a market that are amounts of its currency. */
function amountsOf(id: MarketId | null): ChosenMarket["amounts"] {
  const currency = id === null ? null : MARKETS[id].currency;
  if (id === null || currency === null) return null;
  const { stakeCaps, limitsOfAll } = rulesOfMarket(id);
  const rules: RuleName[] = [];
  if (stakeCaps.under25 !== null || stakeCaps.from25 !== null) rules.push("stakeCaps");
  if (Object.keys(limitsOfAll).some((key) => !key.startsWith("time."))) rules.push("limitsOfAll");
  return rules.length === 0 ? null : { currency, rules };
}

/** A number of one currency is not silently taken for one of another. @throws Refused. */
async function checkCurrency(
  trx: Kysely<unknown>,
  { currency, rules }: NonNullable<ChosenMarket["amounts"]>,
  amountsIn: string | undefined,
): Promise<void> {
  const sentence = `The amounts of this market (${rules.join(", ")}) are in ${currency}`;
  if (amountsIn === undefined)
    throw new Refused("act.refused", {
      sentence: `${sentence}. Name the venue's currency: the same numbers hold in it, and nothing is converted.`,
    });
  const set = (await newestVersion(trx))?.content["currency"];
  if (typeof set === "string" && set !== amountsIn)
    throw new Refused("act.refused", { sentence: `${sentence}, and the venue plays in ${set}, not in ${amountsIn}.` });
}

const Known = z.enum(MARKET_IDS);

/** @throws Refused. */
function marketOf(wanted: string | null): MarketId | null {
  if (wanted === null) return null;
  const read = z.safeParse(Known, wanted);
  if (!read.success) throw new Refused("act.refused", { sentence: "There is no such market." });
  return read.data;
}

/** @throws Refused. */
async function subjectOf(trx: Kysely<unknown>, scope: MarketScope, named: string | undefined): Promise<string> {
  if (scope === "venue") {
    if (named !== undefined) throw new Refused("request.invalid", { where: "subject" });
    return "";
  }
  if (named === undefined) throw new Refused("request.invalid", { where: "subject" });
  if (scope === "machine") {
    if (!(await machineExists(trx, named))) throw new Refused("thing.unknown", { kind: "machine" });
    return named;
  }
  const player = (await findPlayersNamed(trx.withTables<PlayersTables>(), [named])).get(named);
  if (player === undefined) throw new Refused("thing.unknown", { kind: "player" });
  return player.id;
}

const together = (...markets: readonly (MarketId | null)[]): Rules =>
  markets.map((one) => rulesOfMarket(one ?? "none")).reduce((one, other) => strictest(one, other));

/** Each rule that differs. Of two values the one that the strictest of both is protects more. */
function changesBetween(before: Rules, after: Rules): RuleChange[] {
  const both = strictest(before, after);
  const becomes = (name: RuleName) => {
    if (isDeepStrictEqual(both[name], after[name])) return "stricter";
    return isDeepStrictEqual(both[name], before[name]) ? "looser" : "different";
  };
  return RULE_NAMES.filter((name) => !isDeepStrictEqual(before[name], after[name])).map((name) => ({
    name,
    before: before[name],
    after: after[name],
    becomes: becomes(name),
  }));
}
