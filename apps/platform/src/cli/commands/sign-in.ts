import type { StaffTables } from "../../modules/staff/accounts/index.ts";
import type { DevicePoll } from "../../modules/staff/sign-in/index.ts";
import { askDevice, endSignIns, findDeviceCaller, pollDevice } from "../../modules/staff/sign-in/index.ts";
import { idleMsOf, signedInCaller, signInHoursOf } from "../acting.ts";
import type { Command, CommandDeps } from "../command.ts";
import { CommandRefused, command } from "../command.ts";
import { printableLine, timeText } from "../output.ts";
import { asStaff, consoleOrigin, SOURCE } from "../staff.ts";
import { readToken, removeToken, writeToken } from "../token-file.ts";

const NAME_MAX = 100;
/** What the system calls itself, for a person to compare. */
const named = (text: string): string => printableLine(text).trim().slice(0, NAME_MAX) || "unknown";

const signIn = command({
  name: "sign-in",
  about: "sign in as a member of staff: it shows a code that you confirm at the console",
  more: [
    "  longarm sign-in",
    "",
    "Open the address, sign in there, type the code, and confirm it with your passkey. The code is good for ten minutes. The sign-in is kept in a",
    "file that only you can read; it ends like one of the console, which lists it and can end it. Commands then act in your name with your rights.",
  ].join("\n"),
  async run(deps) {
    const db = deps.db.withTables<StaffTables>();
    const asker = { computer: named(deps.computer), systemUser: named(deps.staff) };
    const request = await askDevice({ db, node: SOURCE, random: deps.random }, asker);
    const origin = consoleOrigin(deps);
    deps.say(`Your code: ${request.userCode}`);
    deps.say(`Confirm it until ${timeText(request.expiresAt)} UTC at ${origin}/device`);
    if (origin === "") deps.say("STAFF_PORT is not set here: open this path at the console's address.");
    deps.say(`The console shows this computer: ${asker.computer}, ${asker.systemUser}.`);
    const { token, username } = await fetchSignIn(deps, request);
    await endKept(deps, "signedInAgain");
    await writeToken(deps, { token, username });
    deps.say(`Signed in as ${username}.`);
    return { username };
  },
});

const NOT_SIGNED_IN = {
  refused: "The console refused this code. No person is signed in.",
  expired: "The code was not confirmed in time: run longarm sign-in again.",
} as const;

/** Asks until a person has decided. @throws CommandRefused. */
async function fetchSignIn(
  deps: CommandDeps,
  { deviceCode, intervalS: firstS }: Awaited<ReturnType<typeof askDevice>>,
): Promise<Extract<DevicePoll, { is: "signedIn" }>> {
  const { random, pause } = deps;
  const pollDeps = { db: deps.db.withTables<StaffTables>(), node: SOURCE, random, hours: signInHoursOf(deps) };
  let intervalS = firstS;
  for (;;) {
    await pause(intervalS * 1_000);
    const answer = await pollDevice(pollDeps, deviceCode);
    if (answer.is === "signedIn") return answer;
    if (!("intervalS" in answer)) throw new CommandRefused(NOT_SIGNED_IN[answer.is]);
    intervalS = answer.intervalS;
  }
}

/** Ends the sign-in that is kept here, if it still is one. Answers whose it was. */
async function endKept(deps: CommandDeps, reason: string): Promise<string | undefined> {
  const kept = await readToken(deps).catch((error: unknown) => {
    if (error instanceof CommandRefused) return undefined;
    throw error;
  });
  if (kept === undefined) return undefined;
  const caller = await findDeviceCaller(deps.db.withTables<StaffTables>(), kept.token, idleMsOf(deps));
  if (caller === undefined) return undefined;
  await asStaff(deps, caller.username, (trx) =>
    endSignIns(trx.withTables<StaffTables>(), { id: caller.signIn.id }, reason),
  );
  return caller.username;
}

const signOut = command({
  name: "sign-out",
  about: "end the command line's sign-in and forget it",
  more: "  longarm sign-out",
  async run(deps) {
    const username = await endKept(deps, "signedOut");
    await removeToken(deps);
    deps.say(username === undefined ? "No person was signed in here." : `${username} is signed out here.`);
    return { username: username ?? null };
  },
});

const whoami = command({
  name: "whoami",
  about: "say who is signed in here, with which roles, and until when",
  more: "  longarm whoami",
  async run(deps) {
    const { username, name, roles, signIn: now } = await signedInCaller(deps);
    deps.say(printableLine(`${username} (${name}): ${roles.join(", ") || "no role"}.`));
    deps.say(`Signed in since ${timeText(now.since)}, until ${timeText(now.expiresAt)} UTC at the latest.`);
    return { username, name, roles, since: now.since, expiresAt: now.expiresAt };
  },
});

export const signInCommands: readonly Command[] = [signIn, signOut, whoami];
