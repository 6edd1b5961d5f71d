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
  marketChoices,
  RULE_NAMES,
  rulesOfMarket,
  strictest,
} from "../../protection/markets/index.ts";
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
  readonly by: string;
  readonly reason: string;
};

/**
 * Chooses a market for the venue, a player or a machine. Answers whom it is for, and each rule that changes: of a player or a machine beside those
 * of the venue.
 * @throws Refused `act.refused`: there is no such market, player or machine, it holds already, or another was chosen since.
 */
export async function chooseAtDesk(
  trx: Kysely<unknown>,
  { scope, subject: named, market: wanted, expected, by, reason }: WantedMarket,
): Promise<{ scope: MarketScope; subject: string; changes: RuleChange[] }> {
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
  await chooseMarket(db, { scope, subject, market: to, by, reason });
  return { scope, subject, changes: changesBetween(together(venue, now), together(venue, to)) };
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
