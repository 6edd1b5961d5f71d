import type { StaffCallName } from "@longarm/contract/staff";
import { staffCalls } from "@longarm/contract/staff";
import type { StaffCall } from "@longarm/contract/staff-call";
import { openLedger } from "@longarm/ledger/ledger";
import { readEnvironment } from "@longarm/link/environment";
import * as z from "zod/mini";
import { platformVariables } from "../config/variables.ts";
import { askOperation } from "../modules/play/operations/index.ts";
import type { StaffTables } from "../modules/staff/accounts/index.ts";
import type { ActBody, ActOutcome, StaffCaller } from "../modules/staff/sign-in/index.ts";
import { newId } from "../random.ts";
import type { ActingDeps, CommandDeps } from "./command.ts";
import { CommandRefused, UsageProblem } from "./command.ts";
import { printableLine, timeText } from "./output.ts";
import { consoleOrigin, noticesOf, SOURCE } from "./staff.ts";

/*
 * Acts of a signed-in member of staff that the console limits, or that need a second person: the command line calls the console's own function, so
 * that limits, approvals and audit entries are the same.
 */

const { SECOND_PERSON, DAY_BEGINS_MINUTES, TIME_ZONE, WALLET_URL } = platformVariables;

type Sent = {
  readonly params: Readonly<Record<string, string>>;
  readonly fields: object;
  readonly dryRun: boolean;
  /** The same id with the same content is done once; absent: a new one. */
  readonly id?: string | undefined;
};

/** Does one act as this person. @throws Refused, CommandRefused, UsageProblem. */
export async function actAtDesk(
  deps: ActingDeps,
  caller: StaffCaller,
  name: StaffCallName,
  { params, fields, dryRun, id = newId(deps.random, "cl") }: Sent,
): Promise<ActOutcome<Record<string, unknown>>> {
  // The sign-in at the console was confirmed with a passkey: a terminal has none to confirm each act with.
  const { stepUp: _, ...call }: StaffCall = staffCalls[name];
  const read = call.body && z.safeParse(call.body, { id, ...fields, ...(dryRun && { dryRun }) });
  if (!read?.success) {
    const [issue] = read?.error.issues ?? [];
    throw new UsageProblem(`This is not what the act needs: --${(issue?.path ?? []).join(".")} is missing or wrong.`);
  }
  const any = typeof call.for === "string" ? [call.for] : call.for;
  if (!any.some((one) => (caller.permissions as ReadonlySet<string>).has(one)))
    throw new CommandRefused(`${caller.username} lacks the permission ${any[0]}. Nothing was changed.`);
  const body = read.data as ActBody;
  const incoming = {
    whence: { address: "terminal", device: SOURCE },
    params,
    body,
    caller: () => caller,
    act: () => ({ name, call, caller, params, body }),
  };
  const { acts, notified } = await openDesk(deps, caller);
  const handler = acts[name as keyof typeof acts] as unknown as (
    incoming: unknown,
  ) => Promise<ActOutcome<Record<string, unknown>>>;
  const outcome = await handler(incoming);
  await Promise.all(notified);
  return outcome;
}

/** The console's functions on this database. What a bus would say at once is requested of the running platform: `notified` are those requests. */
async function openDesk(deps: CommandDeps, { username }: StaffCaller) {
  // The listener's code is not loaded by commands that do not need it.
  const { deskActs } = await import("../modules/staff/listener/index.ts");
  const settings = readEnvironment({ SECOND_PERSON, DAY_BEGINS_MINUTES, TIME_ZONE, WALLET_URL }, deps.environment);
  const { db, random, beginWithinMs } = deps;
  const notified: Promise<unknown>[] = [];
  const origin = () => consoleOrigin(deps);
  const ask: Parameters<typeof deskActs>[0]["ask"] = (operation) =>
    askOperation(deps, { ...operation, ...(beginWithinMs !== undefined && { beginWithinMs }) });
  const acts = deskActs({
    db: db.withTables<StaffTables>(),
    source: db,
    node: SOURCE,
    random,
    log: { error: (_fields: unknown, text?: unknown) => deps.say(printableLine(`Afterwards: ${String(text)}.`)) },
    rp: () => ({ id: "", origins: [origin()] }),
    ledger: openLedger(db),
    bus: {
      publish(_topic, message) {
        if ("playerId" in message && typeof message.playerId === "string") {
          const body = { playerId: message.playerId };
          notified.push(ask({ kind: "player", body, by: username }).catch(() => undefined));
        }
      },
    },
    secondPerson: settings.SECOND_PERSON,
    operatorWallet: settings.WALLET_URL !== null,
    notices: noticesOf(deps),
    dayBeginsMinutes: settings.DAY_BEGINS_MINUTES,
    timeZone: settings.TIME_ZONE,
    origin,
    ask,
  });
  return { acts, notified };
}

type Words = {
  /** What was done, as a sentence. */
  done(result: Record<string, unknown>): string;
  /** What would be done: `release the stop st_1`. */
  readonly would: string;
};

/** Says how an act ended. Answers it for `--json`. */
export function sayOutcome(
  { say }: Pick<CommandDeps, "say">,
  outcome: ActOutcome<Record<string, unknown>>,
  { done, would }: Words,
): object {
  if (outcome.is === "waiting") {
    const until = timeText(new Date(outcome.expiresAt));
    say(
      printableLine(
        `Nothing was changed yet: a second person must sign ${outcome.approval} at the console until ${until} UTC.`,
      ),
    );
    return { waits: outcome.approval, expiresAt: outcome.expiresAt };
  }
  if (outcome.is === "dryRun") {
    const second = outcome.needsApproval ? " once a second person has signed it" : "";
    say(printableLine(`Would ${would}${second}. Nothing was changed.`));
    return { dryRun: true, needsApproval: outcome.needsApproval };
  }
  say(printableLine(done(outcome.result)));
  if (outcome.repeated) say("It was done before under this id, and nothing was done now.");
  if (typeof outcome.result["approval"] === "string")
    say(`The roles come once another administrator has signed ${outcome.result["approval"]} at the console.`);
  return { ...outcome.result, repeated: outcome.repeated };
}
