import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Account } from "@longarm/load/account";
import { listPlaySessions } from "../../../modules/play/operations/index.ts";
import type { PlayersTables } from "../../../modules/players/accounts/index.ts";
import { createPlayers, playersOfGroup, setBanned } from "../../../modules/players/accounts/index.ts";
import type { AuthTables } from "../../../modules/players/auth/index.ts";
import { endSessions } from "../../../modules/players/auth/index.ts";
import { newId } from "../../../random.ts";
import { writeAmount } from "../../amount.ts";
import { actorOf, asStaff, haveCarriedOut } from "../../as-staff.ts";
import type { CommandDeps } from "../../command.ts";

/** The group of players that are made for a run: by it and their names those of a run that was cut off are found. */
const GROUP = "load";
/** A venue may call a group of its own so, too. */
const NAME = /^load-[0-9a-f]{8}-\d{4}$/;
/** A session's end and the transfers in it are waited for this long, ms. */
const HOME_MS = 60_000;
const LOOK_MS = 250;
const PASSWORD_BYTES = 24;

/** A player made for a run. */
export type Temporary = Account & { readonly id: string };

/** The people of one run, as the books name it. */
export type Run = { readonly name: string; readonly who: string };

/** Makes one player, with a deposit from the cage where one is named. @throws Error when the venue does not take it. */
export async function makePlayer(
  deps: CommandDeps,
  run: Run,
  number: number,
  depositMinor: number | undefined,
): Promise<Temporary> {
  const username = `${run.name}-${String(number).padStart(4, "0")}`;
  const password = deps.random.bytes(PASSWORD_BYTES).toString("base64url");
  const id = await asStaff(deps, run.who, async (transaction) => {
    const ledger = openLedger(transaction);
    const players = await createPlayers({ db: { kysely: transaction }, ledger, random: deps.random });
    const added = await players.add({ username, password, name: "Load", lastname: run.name, group: GROUP });
    if (added.is !== "added") throw new Error(`The player ${username} could not be made.`);
    if (depositMinor === undefined) return added.id;
    const moved = await ledger.transfer({
      ...{ id: `staff:${newId(deps.random, "w")}`, kind: "deposit", amountMinor: depositMinor },
      ...{ from: "cage", to: playerAccount(added.id) },
      about: { actor: actorOf(run.who), reason: `longarm load: ${run.name} begins` },
    });
    if (moved.is === "refused")
      throw new Error(`${username} got no deposit: ${moved.problem.detail ?? moved.problem.name}.`);
    return added.id;
  });
  return { id, username, password };
}

/** What could not be brought home of a player. */
export type Left = { readonly username: string; readonly sentence: string };

/** Sends each home, whatever becomes of the others. Answers what is left of whom. */
export async function sendAllHome(deps: CommandDeps, run: Run, people: readonly Temporary[]): Promise<Left[]> {
  const left: Left[] = [];
  for (const one of people) {
    const rest = await sendHome(deps, run, one).catch((error: unknown) => ({
      username: one.username,
      sentence: `could not be sent home: ${error instanceof Error ? error.message : String(error)}`,
    }));
    if (rest !== undefined) left.push(rest);
  }
  return left;
}

/** Ends what a player has open, brings the money to the cage and keeps the player out; undefined: nothing is left. Can be asked for again. */
async function sendHome(deps: CommandDeps, run: Run, { id, username }: Temporary): Promise<Left | undefined> {
  await asStaff(deps, run.who, async (transaction) => {
    await setBanned(transaction.withTables<PlayersTables>(), id, true);
    await endSessions(transaction.withTables<AuthTables>(), { playerId: id }, "banned");
  });
  if (await hasSomethingOpen(deps, id)) {
    const asked = { kind: "player", body: { playerId: id }, by: run.who } as const;
    await haveCarriedOut({ ...deps, say: () => {} }, asked).catch(() => false);
    for (let waited = 0; waited < HOME_MS && (await hasSomethingOpen(deps, id)); waited += LOOK_MS)
      await deps.pause(LOOK_MS);
  }
  const ledger = openLedger(deps.db);
  const { availableMinor } = await ledger.account(playerAccount(id));
  if (availableMinor > 0) {
    const moved = await asStaff(deps, run.who, (transaction) =>
      openLedger(transaction).transfer({
        ...{ id: `staff:${newId(deps.random, "w")}`, kind: "withdraw", amountMinor: availableMinor },
        ...{ from: playerAccount(id), to: "cage" },
        about: { actor: actorOf(run.who), reason: `longarm load: ${run.name} is over` },
      }),
    );
    if (moved.is === "refused")
      return { username, sentence: `${writeAmount(availableMinor)} could not be withdrawn: ${moved.problem.name}` };
  }
  const { balanceMinor } = await ledger.account(playerAccount(id));
  if (balanceMinor > 0) return { username, sentence: `${writeAmount(balanceMinor)} is still being checked` };
  return (await hasSomethingOpen(deps, id)) ? { username, sentence: "a play session still runs" } : undefined;
}

async function hasSomethingOpen({ db }: CommandDeps, playerId: string): Promise<boolean> {
  const running = await listPlaySessions(db, { playerId, openOnly: true, limit: 1 });
  if (running.length > 0) return true;
  const { heldMinor } = await openLedger(db).account(playerAccount(playerId));
  return heldMinor > 0;
}

/** Players of runs, or of one, that were not sent home whole: not banned yet, or with money, or at a machine. */
export async function leftBehind(deps: CommandDeps, run: string | undefined): Promise<Temporary[]> {
  const rows = await playersOfGroup(deps.db, GROUP);
  const left: Temporary[] = [];
  const isOfRun = (name: string) => NAME.test(name) && (run === undefined || name.startsWith(`${run}-`));
  for (const { id, username, banned_at } of rows.filter((row) => isOfRun(row.username))) {
    const { balanceMinor } = await openLedger(deps.db).account(playerAccount(id));
    if (banned_at === null || balanceMinor > 0 || (await hasSomethingOpen(deps, id)))
      left.push({ id, username, password: "" });
  }
  return left;
}
