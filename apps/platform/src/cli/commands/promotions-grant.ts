import type { PromotionsTables } from "../../modules/players/promotions/index.ts";
import { grantBonus, grantProblem } from "../../modules/players/promotions/index.ts";
import { readAmount, readWholeNumber, writeAmount } from "../amount.ts";
import { BY } from "../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../command.ts";
import { namedPlayer } from "../named-player.ts";
import { printableLine } from "../printable.ts";

/** Gives a player a bonus to claim. */
export const promotionsGrant: Command = {
  words: "promotions grant",
  about: "give a player a bonus to claim",
  more: [
    '  longarm promotions grant --player deniz.aydin --amount 250.00 --reason "welcome back"',
    "",
    "The player claims it with the Bonus key. No money moves before that, and each grant pays once.",
  ].join("\n"),
  options: {
    player: { type: "string", value: "<username>", about: "who gets it", needed: true },
    amount: { type: "string", value: "<amount>", about: "250.00, or in minor units 25000minor", needed: true },
    reason: { type: "string", value: "<text>", about: "why, kept for ever; 1 to 200 characters", needed: true },
    days: { type: "string", value: "<days>", about: "how long it may be claimed, 1 to 3650; without: for ever" },
    by: BY,
    "dry-run": DRY_RUN,
  },
  prepare(given) {
    const asked = readGrant(given);
    return (deps) => grant(deps, asked);
  },
};

type Asked = ReturnType<typeof readGrant>;

function readGrant(given: Given) {
  const text = (name: string) => given.get(name)?.toString() ?? "";
  const days = given.has("days") ? readWholeNumber("days", text("days"), 1, 3_650) : undefined;
  return {
    username: text("player"),
    amountMinor: readAmount("amount", text("amount")),
    reason: text("reason"),
    by: text("by"),
    dryRun: given.has("dry-run"),
    ...(days !== undefined && { days }),
  };
}

async function grant(deps: CommandDeps, { username, by, dryRun, ...rest }: Asked): Promise<object> {
  const grantedBy = by || deps.staff;
  if (grantedBy === "") throw new UsageProblem("The system does not say who you are: name yourself with --by.");
  // What needs no player is told first: the sentence is about the command line.
  const problem = grantProblem({ ...rest, grantedBy, playerId: "" });
  if (problem !== null) throw new UsageProblem(`This cannot be granted: ${problem}.`);
  const player = await namedPlayer(deps.db, username);
  if (player.banned_at !== null) throw new CommandRefused(`${player.username} is banned.`);
  const until = rest.days === undefined ? "" : `, to be claimed within ${rest.days} days`;
  const what = printableLine(
    `${writeAmount(rest.amountMinor)} to ${player.username} (${player.id}) for "${rest.reason}" by ${grantedBy}${until}`,
  );
  if (dryRun) {
    deps.say(`Would grant ${what}. Nothing was changed.`);
    return { dryRun, player: player.id, amount: rest.amountMinor };
  }
  const db = deps.db.withTables<PromotionsTables>();
  const granted = await grantBonus(db, deps.random, { ...rest, grantedBy, playerId: player.id });
  if (granted.is === "refused") throw new CommandRefused(`This cannot be granted: ${granted.sentence}.`);
  deps.say(`Granted ${what}: ${granted.id}`);
  return { id: granted.id, player: player.id, amount: rest.amountMinor };
}
