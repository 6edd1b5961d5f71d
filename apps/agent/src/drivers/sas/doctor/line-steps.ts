import type { Step, StepResult } from "../../../doctor/commissioning/commissioning.ts";
import { failed, noted, passed, until } from "../../../doctor/commissioning/commissioning.ts";
import type { SasLine } from "../line/line.ts";
import { exceptionName } from "../protocol/events.ts";
import type { LongPoll } from "../protocol/polls.ts";
import { currentCredits, mainMeters, versionAndSerial } from "../protocol/polls.ts";
import type { LookLine } from "./look-line.ts";
import type { Session } from "./session.ts";
import { eventWaits } from "./session.ts";

/* From the port to the first answer: what carries the line, who is at its other end, and how well they receive each other. */

const CONNECT_MS = 4_000;
/** A front end that has another host closes the connection within this time, ms. */
const KEPT_MS = 300;
/** A machine that misses its polls calls every 200 ms. */
const CALLS_MS = 700;
/** More errors of a thousand polls than this are a fault of the line; fewer are worth knowing. */
const ERRORS_MAX = 10;
const THOUSAND = 1_000;

export type LineStepsDeps = {
  readonly session: Session;
  /** Longest silence inside an answer that the line allows, ms. */
  readonly pauseMsMax: number;
  /** Polls that measure the errors. */
  readonly polls: number;
};

export function lineSteps({ session, pauseMsMax, polls }: LineStepsDeps): Step[] {
  const { timing } = session.setup;
  return [
    { id: "port", title: "Port", needs: [], run: async () => port(session, await session.look()) },
    { id: "call", title: "The machine's call", needs: ["port"], run: async () => call(session, await session.look()) },
    {
      id: "answer",
      title: "First answer",
      needs: ["port", "call"],
      run: async () => answer(session, await session.look()),
    },
    {
      id: "errors",
      title: "Errors on the line",
      needs: ["answer"],
      withinMs: 30_000 + polls * timing.pollMs * 4,
      run: () => session.reading((line) => errors(line, session, pauseMsMax, polls)),
    },
  ];
}

async function port({ setup: { clock, carrier } }: Session, line: LookLine): Promise<StepResult> {
  const where = carrier.kind === "tcp" ? `${carrier.host}:${carrier.port}` : carrier.device;
  let since: number | undefined;
  const open = await until(clock, CONNECT_MS, async () => {
    since = line.state().up ? (since ?? clock.now()) : undefined;
    return since !== undefined && clock.now() - since >= KEPT_MS ? true : undefined;
  });
  if (open) return passed(`${where} is open.`, { port: where });
  const fault = { taken: "port.taken", foreign: "port.foreign", none: "port.away" } as const;
  return failed(fault[line.seen().portFault ?? "none"], line.state().why, { port: where });
}

/** Before anything is sent: a machine that is not polled calls with its address, which proves its way to us. */
async function call({ setup: { clock, timing, address } }: Session, line: LookLine): Promise<StepResult> {
  const called = await receives(clock, line, timing.loopBreakMs + CALLS_MS);
  if (!called) return noted("It does not call while it is not polled. Some machines never do.");
  const { chirpAddress } = line.counters();
  if (chirpAddress !== address) return otherAddress(address, chirpAddress);
  return passed(`It calls with its address, ${address}.`, { address });
}

const otherAddress = (address: number, called: number): StepResult =>
  failed("line.address", `The machine calls with address ${called}, and the list of machines says ${address}.`, {
    address,
    called,
  });

/** Whether the machine calls within this time. */
async function receives(clock: Session["setup"]["clock"], line: LookLine, withinMs: number): Promise<boolean> {
  const before = line.counters().chirps;
  return (await until(clock, withinMs, async () => (line.counters().chirps > before ? true : undefined))) === true;
}

/** A program may lack one of these polls; all three at once are a line that does not work. */
async function answer(session: Session, line: LookLine): Promise<StepResult> {
  const { chirps } = line.counters();
  const { address } = session.setup;
  const polls: readonly LongPoll<unknown>[] = [versionAndSerial(), currentCredits(), mainMeters()];
  for (const poll of polls) {
    const outcome = await line.poll(poll);
    if (outcome.is === "answered" || outcome.is === "refused")
      return passed(`The machine at address ${address} answers.`, { address });
  }
  const waiting = session.waiting();
  if (waiting !== undefined)
    return session.setup.acts
      ? passed(`The machine answers, and wants to report: ${exceptionName(waiting.code)}.`)
      : eventWaits(waiting.code);
  const { busy, garbled } = line.counters();
  if (busy > 0) return failed("line.busy", "The machine answers nothing but that it is busy.", { busy });
  if (garbled > 0)
    return failed("line.errors", "The machine answers, and none of its answers can be read.", { garbled });
  return whySilent(session, line, line.counters().chirps - chirps);
}

async function whySilent(
  { setup: { clock, timing, address } }: Session,
  line: LookLine,
  calledMeanwhile: number,
): Promise<StepResult> {
  const evidence = { calledMeanwhile };
  if (calledMeanwhile > 0)
    return failed(
      "line.wakeup",
      "The machine calls all the time, also while it is polled: it does not receive the polls.",
      evidence,
    );
  if (!(await receives(clock, line, timing.loopBreakMs + CALLS_MS)))
    return failed("line.silent", "Not one character comes from the machine.", evidence);
  const { chirpAddress } = line.counters();
  if (chirpAddress !== address) return otherAddress(address, chirpAddress);
  return failed(
    "line.torn",
    "The machine calls only when it is not polled, and answers no poll: it receives the first byte of each and not the others.",
    evidence,
  );
}

async function errors(line: SasLine, session: Session, pauseMsMax: number, polls: number): Promise<StepResult> {
  const before = line.counters();
  for (let sent = 0; sent < polls; sent += 1) await line.poll(versionAndSerial());
  const now = line.counters();
  const sent = now.polls - before.polls;
  const wrong = now.garbled + now.silent + now.unreadable - before.garbled - before.silent - before.unreadable;
  const perThousand = Math.round((wrong * THOUSAND) / Math.max(1, sent));
  const { longestGapMs } = (await session.look()).seen();
  const evidence = {
    polls: sent,
    errors: wrong,
    perThousand,
    ...(longestGapMs > 0 && { longestPauseMs: longestGapMs }),
    ...(now.wakeupGapMs !== undefined && { wakeupGapMs: now.wakeupGapMs }),
  };
  const says = `${wrong} of ${sent} polls had no answer or a damaged one, ${perThousand} per thousand.`;
  if (perThousand > ERRORS_MAX) return failed("line.errors", says, evidence);
  if (longestGapMs > pauseMsMax)
    return failed(
      "line.pauses",
      `The machine pauses up to ${longestGapMs} ms inside its answers; its profile allows ${pauseMsMax} ms.`,
      evidence,
    );
  return wrong === 0 ? passed(says, evidence) : noted(says, evidence);
}
