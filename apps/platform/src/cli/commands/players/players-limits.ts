import type { LimitKind, LimitOwner, LimitsTables, SetLimit } from "../../../modules/players/limits/index.ts";
import { holdsFrom, setLimit, standingLimits } from "../../../modules/players/limits/index.ts";
import { readAmount, readWholeNumber } from "../../amount.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../../command.ts";
import { DRY_RUN, UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { timeText } from "../../output/table.ts";
import { printableLine } from "../../printable.ts";
import type { ToCome } from "../../reading/times.ts";
import { instantOf, readToCome } from "../../reading/times.ts";
import { limitLine, limitValue } from "./limit-line.ts";

const SESSION_MINUTES_MAX = 10_080;

/** Shows and sets what a player may put in, lose, and how long the player may play. */
export const playersLimits: Command = {
  words: "players limits",
  about: "show or set what a player may put in and lose, how long one may play, and exclusions",
  more: [
    "  longarm players limits deniz.aydin",
    "  longarm players limits deniz.aydin --cash-in-day 500.00 --session-minutes 120 --for player",
    "  longarm players limits deniz.aydin --exclude-until 30d",
    "",
    "A stricter limit holds at once, and the player's session ends if it asks for that; one that is relaxed, or `none`, holds a",
    "day later. Player and house have limits of their own, and of each kind the stricter holds. Withdrawing always works.",
  ].join("\n"),
  places: [{ name: "username", about: "of the player" }],
  options: {
    "cash-in-day": { type: "string", value: "<amount>", about: "onto machines in 24 hours: 500.00, or none" },
    "loss-day": { type: "string", value: "<amount>", about: "lost in 24 hours: 200.00, or none" },
    "session-minutes": { type: "string", value: "<minutes>", about: "of one play session: 120, or none" },
    "exclude-until": { type: "string", value: "<time>", about: "no play until: 24h, 30d, 2026-12-31, or none" },
    for: { type: "string", value: "player|house", about: "whose limit it is (house)" },
    by: BY,
    "dry-run": DRY_RUN,
  },
  prepare(given) {
    const wanted = readWanted(given);
    const owner = readOwner(given);
    const by = readBy(given);
    const username = String(given.get("username"));
    return async (deps) => {
      const player = await namedPlayer(deps.db, username);
      if (wanted.length > 0) {
        const done = await change(deps, wanted, { playerId: player.id, owner, by, dryRun: given.has("dry-run") });
        if (given.has("dry-run")) return done;
      }
      const limits = await standingLimits(deps.db.withTables<LimitsTables>(), player.id);
      if (limits.length === 0) deps.say(`${player.username} has no limits.`);
      for (const limit of limits) deps.say(printableLine(limitLine(limit)));
      return { player: player.id, limits };
    };
  },
};

type Wanted = { readonly kind: LimitKind; readonly value: number | null | ToCome };

function readWanted(given: Given): Wanted[] {
  const read = (option: string, kind: LimitKind, toValue: (text: string) => number | ToCome): Wanted[] => {
    const text = given.get(option)?.toString();
    if (text === undefined) return [];
    return [{ kind, value: text === "none" ? null : toValue(text) }];
  };
  return [
    ...read("cash-in-day", "cashIn", (text) => readAmount("cash-in-day", text)),
    ...read("loss-day", "loss", (text) => readAmount("loss-day", text)),
    ...read("session-minutes", "session", (text) => readWholeNumber("session-minutes", text, 1, SESSION_MINUTES_MAX)),
    ...read("exclude-until", "exclusion", (text) => readToCome("exclude-until", text)),
  ];
}

function readOwner(given: Given): LimitOwner {
  const owner = given.get("for") ?? "house";
  if (owner === "player" || owner === "house") return owner;
  throw new UsageProblem("--for must be player or house.");
}

type Asked = {
  readonly playerId: string;
  readonly owner: LimitOwner;
  readonly by: string | undefined;
  readonly dryRun: boolean;
};

async function change(deps: CommandDeps, wanted: readonly Wanted[], { playerId, owner, by, dryRun }: Asked) {
  const who = whoAsks(deps, by);
  const limits: SetLimit[] = [];
  for (const { kind, value } of wanted) {
    const until = typeof value === "object" && value !== null ? await instantOf(deps.db, "exclude-until", value) : null;
    limits.push({ playerId, kind, owner, by: who, value: until?.getTime() ?? (value as number | null) });
  }
  const holds = await asStaff(deps, who, async (transaction) => {
    const trx = transaction.withTables<LimitsTables>();
    const from: string[] = [];
    for (const limit of limits) {
      if (dryRun) from.push((await holdsFrom(trx, limit)) === "now" ? "at once" : "in a day");
      else from.push(`from ${timeText(await setLimit(trx, limit))} UTC on`);
    }
    return from;
  });
  for (const [at, { kind, value }] of limits.entries())
    deps.say(`${dryRun ? "Would set" : "Set"} ${kind}: ${limitValue(kind, value)}, ${holds[at]}.`);
  if (dryRun) {
    deps.say("Nothing was changed.");
    return { player: playerId, dryRun, wouldSet: limits };
  }
  return { carriedOut: await haveCarriedOut(deps, { kind: "player", body: { playerId }, by: who }) };
}
