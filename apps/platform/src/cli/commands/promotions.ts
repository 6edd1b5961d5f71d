import { databaseTime } from "@longarm/database/clock";
import type { PromotionsTables } from "../../modules/players/promotions/index.ts";
import { grantBonus, grantProblem, listGrants } from "../../modules/players/promotions/index.ts";
import type { ActingDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { AMOUNT_ABOUT, amount, DRY_RUN, flag, option, plainText, required, rowLimit, wholeNumber } from "../fields.ts";
import { printableLine, sayRows, timeText, writeAmount } from "../output.ts";
import { namedPlayer, namedPlayerId } from "../staff.ts";

export const promotionsGrant = actCommand({
  name: "promotions grant",
  needs: "bonus.grant",
  about: "give a player a bonus to claim",
  more: [
    '  longarm promotions grant --player deniz.aydin --amount 250.00 --reason "welcome back"',
    "",
    "The player claims it with the Bonus button. No money moves before that, and each grant pays once.",
  ].join("\n"),
  options: {
    player: required("<username>", "who gets it", plainText),
    amount: required("<amount>", AMOUNT_ABOUT, amount),
    reason: required("<text>", "why, kept for ever; 1 to 200 characters", plainText),
    days: option("<days>", "how long it may be claimed, 1 to 3650; without: for ever", wholeNumber(1, 3_650)),
    dryRun: DRY_RUN,
  },
  check: ({ amount: amountMinor, reason }) => {
    const problem = grantProblem({ amountMinor, reason, grantedBy: "staff", playerId: "" });
    if (problem !== null) throw new UsageProblem(`This cannot be granted: ${problem}.`);
  },
  async run(deps, { player: username, amount: amountMinor, reason, days, by, dryRun }) {
    const player = await namedPlayer(deps.db, username);
    if (player.banned_at !== null) throw new CommandRefused(`${player.username} is banned.`);
    const until = days === undefined ? "" : `, to be claimed within ${days} days`;
    const what = printableLine(
      `${writeAmount(amountMinor)} to ${player.username} (${player.id}) for "${reason}" by ${by}${until}`,
    );
    if (deps.acting.caller !== null) {
      const sent = { params: { id: player.id }, fields: await bonusOf(deps, { amountMinor, reason, days }), dryRun };
      const outcome = await actAtDesk(deps, deps.acting.caller, "grantBonus", sent);
      return sayOutcome(deps, outcome, { done: () => `Granted ${what}.`, would: `grant ${what}` });
    }
    if (dryRun) {
      deps.say(`Would grant ${what}. Nothing was changed.`);
      return { dryRun, player: player.id, amount: amountMinor };
    }
    const grant = { playerId: player.id, amountMinor, reason, grantedBy: by, ...(days !== undefined && { days }) };
    const granted = await grantBonus(deps.db.withTables<PromotionsTables>(), deps.random, grant);
    if (granted.is === "refused") throw new CommandRefused(`This cannot be granted: ${granted.sentence}.`);
    deps.say(`Granted ${what}: ${granted.id}`);
    return { id: granted.id, player: player.id, amount: amountMinor };
  },
});

const DAY_MS = 86_400_000;
const DAYS_MAX = 3_650;

/** A bonus as the console grants one: it always ends. */
async function bonusOf(
  { db }: Pick<ActingDeps, "db">,
  given: { readonly amountMinor: number; readonly reason: string; readonly days: number | undefined },
) {
  const { amountMinor, reason, days = DAYS_MAX } = given;
  const ends = (await databaseTime(db)).getTime() + days * DAY_MS;
  return { amount: amountMinor, reason, expiresAt: new Date(ends).toISOString() };
}

export const promotionsList = command({
  name: "promotions list",
  about: "list bonuses that were granted, newest first",
  more: "  longarm promotions list --player deniz.aydin --open",
  options: {
    player: option("<username>", "only those of this player", plainText),
    open: flag("only those that can be claimed now"),
    limit: rowLimit({ max: 500, usual: 50 }),
  },
  async run({ db, say }, { player, open, limit }) {
    const playerId = await namedPlayerId(db, player);
    const query = { playerId, openOnly: open, limit: limit.query };
    const found = await listGrants(db.withTables<PromotionsTables>(), query);
    const { rows, more } = sayRows(say, limit, found, { word: "grant", columns: columnsOf });
    return { grants: rows, more };
  },
});

type Row = Awaited<ReturnType<typeof listGrants>>[number];

function columnsOf(row: Row): string[] {
  const state = {
    open: row.expires_at ? `open until ${timeText(row.expires_at)}` : "open",
    claimed: `claimed ${timeText(row.claimed_at)}`,
    expired: `expired ${timeText(row.expires_at)}`,
  };
  const why = `"${row.reason}" by ${row.granted_by}`;
  return [row.id, timeText(row.granted_at), writeAmount(row.amount), row.username, state[row.state], why];
}
