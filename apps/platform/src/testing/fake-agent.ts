import type { Grant } from "@longarm/contract/agent-link";
import { agentLink } from "@longarm/contract/agent-link";
import type { ClipRequest, RecordHold } from "@longarm/contract/recording";
import type { Answer } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { systemTimers } from "@longarm/link/socket";
import { dialSocket } from "@longarm/link/ws-socket";
import type * as z from "zod/mini";
import type { FakeMachine } from "./fake-machine.ts";

export type AgentPeerOfTest = Peer<typeof agentLink, "client">;

export type FakeAgentOptions = {
  /** Of the platform, `ws://127.0.0.1:…`. */
  readonly url: string;
  readonly key: string;
  readonly machines: readonly FakeMachine[];
  readonly clock?: () => number;
};

type ClipWish = z.infer<typeof ClipRequest>;
type Hold = z.infer<typeof RecordHold>;

/** An agent that has a record of every session. */
const recordHandlers = (clock: () => number, clips: ClipWish[], holds: Hold[]) => ({
  "recording.clip": (wanted: ClipWish) => done({ found: clips.push(wanted) > 0, clock: clock() }),
  "recording.hold": (hold: Hold) => done({ found: holds.push(hold) > 0 }),
});

type MoneyOrder = {
  readonly machineId: string;
  readonly epoch: number;
  readonly transferId: string;
  readonly amount?: number | undefined;
};

/** The answer of a machine to a money command, as its mood is. */
async function moneyAnswer(machine: FakeMachine, direction: "cashIn" | "cashOut", order: MoneyOrder) {
  await machine.waits.before;
  const answer = machine.money(direction, order);
  await machine.waits.after;
  if (answer === undefined) return await new Promise<never>(() => {});
  if (answer === "fails") throw new Error("the agent fails after the machine has moved the money");
  return done(answer);
}

const aboutAnswer = ({ about }: FakeMachine) => (about === null ? refused("request.malformed") : done(about));

async function metersAnswer(machine: FakeMachine) {
  const shown = { meters: machine.meters(), totals: machine.totals && { ...machine.totals } };
  await machine.waits.meters;
  return done({ state: "idle" as const, ...shown });
}

const forget = (machine: FakeMachine, taken: number): void => {
  while (machine.journal[0] && machine.journal[0].data.seq <= taken) machine.journal.shift();
};

async function tellJournal(peer: AgentPeerOfTest, machine: FakeMachine, isGone: () => boolean): Promise<void> {
  for (let first = machine.journal[0]; first && !isGone(); first = machine.journal[0]) {
    const answer =
      first.is === "game" ? await peer.request("game", first.data) : await peer.request("event", first.data);
    if (answer.is === "refused") return;
    if (answer.is === "done") forget(machine, first.data.seq);
  }
}

/** Its machines can pretend anything but a jackpot. */
function simulated(machineId: string, what: string) {
  if (what === "jackpot") return refused("request.invalid", { detail: `The machine "${machineId}" has no jackpots.` });
  return done({ said: `${what} at ${machineId}` });
}

/** The machine refuses games from now on, or no longer, as its agent tells it. A graver lockup stays. */
function disabledOrNot(machine: FakeMachine, disabled: boolean) {
  if (disabled) machine.lockup ??= "disabled";
  else if (machine.lockup === "disabled") machine.lockup = undefined;
  const { id, lockup } = machine;
  return { id, state: lockup === "disabled" ? ("disabled" as const) : ("idle" as const), ...(lockup && { lockup }) };
}

/** `early`: offers that are refused once. */
function answerOffer(offer: { readonly sdp: string }, offers: unknown[], early: Set<string>) {
  offers.push(offer);
  if (early.delete(offer.sdp)) return refused("seat.stale_epoch");
  return offer.sdp.includes("hostile") ? refused("pipeline.failed") : done({ sdp: `answer to ${offer.sdp}` });
}

function findMachine(machines: readonly FakeMachine[], id: string): FakeMachine {
  const machine = machines.find((one) => one.id === id);
  if (!machine) throw new Error(`the fake agent has no machine ${id}`);
  return machine;
}

/** An agent's process in a test: it lives until `kill`; machines and journal outlive it. */
export async function fakeAgent({ url, key, machines, clock = () => Date.now() }: FakeAgentOptions) {
  const asked: string[] = [];
  const offers: unknown[] = [];
  /** Offers that are refused once, as if they came before the grant. */
  const early = new Set<string>();
  const candidates: unknown[] = [];
  const clips: ClipWish[] = [];
  const holds: Hold[] = [];
  let gone = false;
  const socket = await dialSocket({
    url: `${url}/agent`,
    headers: { authorization: `Bearer ${key}` },
    frameBytesMax: agentLink.frameBytesMax,
    handshakeMs: 10_000,
  });
  const machineOf = (machineId: string): FakeMachine => findMachine(machines, machineId);

  const money = (direction: "cashIn" | "cashOut", order: MoneyOrder) => {
    asked.push(`egm.${direction}`);
    return moneyAnswer(machineOf(order.machineId), direction, order);
  };

  const grant = (method: string, input: z.output<typeof Grant>) => {
    asked.push(`${method} ${input.epoch}`);
    return machineOf(input.machineId).grant(input) ? done({}) : refused("seat.stale_epoch");
  };
  const noted = (method: string) => () => {
    asked.push(method);
    return done({});
  };

  const setDisabled = (machineId: string, disabled: boolean) => {
    asked.push(disabled ? "egm.disable" : "egm.enable");
    if (!machineOf(machineId).disables) return refused("machine.not_available");
    peer.notify("machine", disabledOrNot(machineOf(machineId), disabled));
    return done({});
  };

  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  const peer: AgentPeerOfTest = createPeer({
    contract: agentLink,
    end: "client",
    socket,
    timers: systemTimers,
    log: () => {},
    onClose: (code, reason) => {
      gone = true;
      closed.resolve({ code, reason });
    },
    handlers: {
      "seat.grant": (input) => grant("seat.grant", input),
      "seat.renew": (input) => grant("seat.renew", input),
      "seat.revoke": noted("seat.revoke"),
      "rtc.offer": (input) => answerOffer(input, offers, early),
      "rtc.close": noted("rtc.close"),
      press: ({ machineId, seq, epoch }) => {
        asked.push("press");
        if (epoch < machineOf(machineId).epoch) return refused("seat.stale_epoch");
        return done({ seq, outcome: "started", at: clock() });
      },
      "egm.cashIn": (order) => money("cashIn", order),
      "egm.cashOut": (order) => money("cashOut", order),
      "egm.transfer": ({ machineId, transferId }) => done(machineOf(machineId).record(transferId)),
      "egm.enable": ({ machineId }) => setDisabled(machineId, false),
      "egm.disable": ({ machineId }) => setDisabled(machineId, true),
      "egm.resetHandPay": ({ machineId }) => {
        machineOf(machineId).resetHandPay();
        void pump();
        return done({});
      },
      ...recordHandlers(clock, clips, holds),
      "egm.meters": ({ machineId }) => metersAnswer(machineOf(machineId)),
      "egm.about": ({ machineId }) => aboutAnswer(machineOf(machineId)),
      "egm.simulate": ({ machineId, what }) => {
        asked.push(`egm.simulate ${machineId} ${what}`);
        return simulated(machineId, what);
      },
      "still.take": noted("still.take"),
    },
    listeners: { "rtc.candidate": (candidate) => candidates.push(candidate) },
  });

  /** Says hello; events below what the platform has taken are forgotten. */
  async function hello(): Promise<Answer<{ taken: Record<string, number> }>> {
    const named = { agent: "test-agent", version: "1", machines: machines.map((machine) => machine.facts()) };
    const answer = await peer.request("hello", { ...named, clock: clock() });
    if (answer.is !== "done") return answer;
    for (const machine of machines) forget(machine, answer.data.taken[machine.id] ?? 0);
    return answer;
  }

  let pumping = false;
  /** Tells every event, each until it is acknowledged. */
  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    for (const machine of machines) await tellJournal(peer, machine, () => gone);
    pumping = false;
  }

  return {
    peer,
    asked,
    offers,
    early,
    candidates,
    clips,
    holds,
    hello,
    pump,
    closed: closed.promise,
    tellMeters: (machine: FakeMachine) => peer.notify("meters", { machineId: machine.id, meters: machine.meters() }),
    /** Ends the process: the socket closes, nothing is said. */
    async kill(): Promise<void> {
      gone = true;
      socket.close(1001, "killed");
      await closed.promise;
    },
  };
}
export type FakeAgent = Awaited<ReturnType<typeof fakeAgent>>;
