import { OwnId } from "@longarm/contract/ids";
import { WATCH_KEY_DAYS_MAX } from "@longarm/contract/integration";
import { databaseTime } from "@longarm/database/clock";
import * as z from "zod/mini";
import { addWatchKey, endWatchKey, listWatchKeys } from "../../modules/integrations/whep/index.ts";
import type { Command } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, futureTime, instantOf, required, wholeNumber, withDefault } from "../fields.ts";
import { printableLine, timeText } from "../output.ts";
import { asStaff } from "../staff.ts";

const DAY_MS = 86_400_000;

const NAME = argument("2 to 32 small letters, digits and -, such as lobby-wall", (text) => {
  if (/^[a-z][a-z0-9-]{1,31}$/.test(text)) return text;
  throw new UsageProblem("The name must be 2 to 32 small letters, digits and -, and begin with a letter.");
});

/** Null: every machine. */
const machinesOf = (text: string): string[] | null => {
  if (text === "all") return null;
  const ids = [...new Set(text.split(","))];
  if (ids.length <= 100 && ids.every((id) => z.safeParse(OwnId, id).success)) return ids;
  throw new UsageProblem("--machines must be all, or up to 100 ids with commas between.");
};

const add = actCommand({
  name: "watch-keys add",
  needs: "staff.manage",
  about: "make a token with which somebody outside watches machines over WHEP, and print it, once",
  more: "  longarm watch-keys add lobby-wall --machines nar-01,nar-02 --until 90d --watches 4",
  arguments: { name: NAME },
  options: {
    machines: required("<ids>", "which machines: all, or ids with commas between", machinesOf),
    until: required("<when>", `when it ends: 12h, 90d, a day; at most ${WATCH_KEY_DAYS_MAX} days`, futureTime),
    watches: withDefault("<number>", "how many watches at once (1)", "1", wholeNumber(1, 1_000)),
    dryRun: DRY_RUN,
  },
  async run(deps, { name, machines, until, watches: watchesMax, by, dryRun }) {
    const endsAt = await instantOf(deps.db, until);
    if (endsAt.getTime() > (await databaseTime(deps.db)).getTime() + WATCH_KEY_DAYS_MAX * DAY_MS)
      throw new UsageProblem(`--until must be within ${WATCH_KEY_DAYS_MAX} days.`);
    const key = { name, machines, watchesMax, endsAt, by };
    const made = await asStaff(deps, by, (trx) => addWatchKey(trx, deps.random, key), dryRun);
    if (made === undefined) throw new CommandRefused(`There is a watch key called ${name} already.`);
    if (dryRun) {
      deps.say(`Would add ${name}. Nothing was changed.`);
      return { name, dryRun };
    }
    deps.say(`Added ${name}, until ${timeText(endsAt)} UTC.`);
    deps.say(`Token, shown once: ${made.token}`);
    return { name, machines, watchesMax, endsAt: endsAt.toISOString(), ...made };
  },
});

const end = actCommand({
  name: "watch-keys end",
  needs: "staff.manage",
  about: "end a token, and what is watched with it, within a second",
  more: "  longarm watch-keys end lobby-wall --yes",
  arguments: { name: NAME },
  options: { dryRun: DRY_RUN },
  confirm: ({ name }) => `All watches with ${name} end.`,
  async run(deps, { name, by, dryRun }) {
    const ended = await asStaff(deps, by, (trx) => endWatchKey(trx, name), dryRun);
    if (!ended) throw new CommandRefused(`There is no watch key called ${name}.`);
    deps.say(dryRun ? `Would end ${name}. Nothing was changed.` : `Ended ${name}.`);
    return { name, dryRun };
  },
});

const list = command({
  name: "watch-keys list",
  about: "list the tokens with which machines are watched from outside, and how many watch",
  more: "  longarm watch-keys list",
  async run({ db, say }) {
    const keys = await listWatchKeys(db);
    if (keys.length === 0) say("There is no watch key.");
    for (const { name, machines, watches, watchesMax, endsAt } of keys) {
      const where = machines === null ? "all machines" : machines.join(",");
      say(printableLine(`${name}  ${where}  ${watches} of ${watchesMax} places  until ${timeText(endsAt)} UTC`));
    }
    return { keys };
  },
});

export const watchKeyCommands: readonly Command[] = [add, list, end];
