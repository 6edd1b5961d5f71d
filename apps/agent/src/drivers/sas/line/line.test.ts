import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { FakeClock } from "../../../testing/fake-clock.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { crcHolds, hexOf, withCrc } from "../protocol/bytes.ts";
import type { SasEvent } from "../protocol/events.ts";
import { currentCredits, mainMeters, romSignature, selectedGame, shutDown, startUp } from "../protocol/polls.ts";
import type { Carrier, LineUnit } from "./carrier.ts";
import type { Exchange, LineOptions, LineState, LineTiming, PollOutcome } from "./line.ts";
import { LINE_TIMING, Line, traceLine } from "./line.ts";

const ADDRESS = 1;
const timing: LineTiming = { ...LINE_TIMING, slackMs: 5 };

/** A carrier whose other end is the test. */
function testCarrier(clock: FakeClock) {
  let receive: (unit: LineUnit) => void = () => undefined;
  const sent: { at: number; message: Uint8Array }[] = [];
  let answering: (message: Uint8Array) => void = () => undefined;
  const carrier: Carrier = {
    open: (listener) => {
      receive = listener;
    },
    send: (message) => {
      sent.push({ at: clock.now(), message });
      answering(message);
    },
    close: async () => undefined,
  };
  const bytes = (message: Uint8Array): void => {
    for (const byte of message) receive({ is: "byte", byte, wakeup: false });
  };
  return {
    carrier,
    sent,
    unit: (unit: LineUnit) => receive(unit),
    bytes,
    /** Answers 2 ms after each poll. */
    answer: (reply: (message: Uint8Array) => Uint8Array | undefined) => {
      answering = (message) => {
        const answered = reply(message);
        if (answered !== undefined) clock.after(2, () => bytes(answered));
      };
    },
  };
}

describe("a line", () => {
  let clock: FakeClock;
  let wire: ReturnType<typeof testCarrier>;
  let events: SasEvent[];
  let states: LineState[];
  let exchanges: Exchange[];
  const polls = () => wire.sent.map(({ message }) => hexOf(message));
  const open = (more: Partial<LineOptions> = {}): Line => {
    const line = new Line({
      ...{ carrier: wire.carrier, clock, address: ADDRESS, timing },
      accept: async (event) => void events.push(event),
      changed: (state) => states.push(state),
      trace: (exchange) => exchanges.push(exchange),
      ...more,
    });
    wire.unit({ is: "connected" });
    return line;
  };
  const idle = (message: Uint8Array): Uint8Array | undefined => (message[0] === 0x81 ? Uint8Array.of(0) : undefined);

  beforeEach(() => {
    clock = fakeClock();
    wire = testCarrier(clock);
    [events, states, exchanges] = [[], [], []];
  });

  /** A line that is up, and whose machine answers long polls with `reply`. */
  async function up(reply: (message: Uint8Array) => Uint8Array | undefined = () => undefined, more = {}) {
    wire.answer((message) => idle(message) ?? reply(message));
    const line = open(more);
    await clock.pass(100);
    expect(line.state().up).toBe(true);
    wire.sent.length = 0;
    return line;
  }

  test("polls its machine at its pace, never faster, and another address between to acknowledge", async () => {
    wire.answer(idle);
    const line = open();
    await clock.pass(2_000);
    expect(polls().slice(0, 4)).toEqual(["81", "80", "81", "80"]);
    const own = wire.sent.filter(({ message }) => message[0] === 0x81).map(({ at }) => at);
    const gaps = own.slice(1).map((at, index) => at - (own[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(LINE_TIMING.pollMs + 1);
    expect(states.map((state) => state.up)).toEqual([true]);
    line.setPollMs(40);
    wire.sent.length = 0;
    await clock.pass(1_000);
    expect(wire.sent.filter(({ message }) => message[0] === 0x81).length).toBeGreaterThanOrEqual(19);
  });

  test("a long poll is answered, and the next poll of the same kind waits for another between", async () => {
    const line = await up((message) =>
      message[1] === 0x1a ? withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0x12, 0x34)) : undefined,
    );
    const answers = Promise.all([line.poll(currentCredits()), line.poll(currentCredits())]);
    await clock.pass(2_000);
    expect(await answers).toEqual([
      { is: "answered", answer: 1_234 },
      { is: "answered", answer: 1_234 },
    ]);
    const own = polls().filter((hex) => hex !== "80");
    expect(own.slice(0, own.lastIndexOf("011a") + 1).join(" ")).toMatch(/011a( 81)+ 011a$/);
  });

  test("an acknowledgement is the address alone, and silence follows it", async () => {
    const line = await up((message) => (message[1] === 0x01 ? Uint8Array.of(1) : undefined));
    const answer = line.poll(shutDown());
    await clock.pass(1_000);
    expect(await answer).toEqual({ is: "answered", answer: undefined });
  });

  test("whether the machine waits for its player is reported when it changes, and not over a link that is down", async () => {
    const awaited: boolean[] = [];
    await up(() => undefined, { awaitsPlayer: (awaits: boolean) => void awaited.push(awaits) });
    wire.answer((message) => (message[0] === 0x81 ? Uint8Array.of(0x1f) : undefined));
    await clock.pass(1_000);
    expect(awaited).toEqual([true]);
    wire.answer(() => undefined);
    await clock.pass(15_000);
    expect(awaited).toEqual([true, false]);
    expect(events).toEqual([]);
  });

  test("a machine's refusal is no error of the line", async () => {
    const line = await up((message) => (message[1] === 0x02 ? Uint8Array.of(0x81) : undefined));
    const answer = line.poll(startUp());
    await clock.pass(1_000);
    expect(await answer).toEqual({ is: "refused" });
    expect(line.counters()).toMatchObject({ refused: 1, garbled: 0, silent: 0 });
  });

  test("a poll that the machine does not have is sent three times, and the line stays up", async () => {
    const line = await up();
    const answer = line.poll(selectedGame());
    await clock.pass(2_000);
    expect(await answer).toEqual({ is: "silent" });
    expect(polls().filter((hex) => hex === "0155").length).toBe(3);
    expect(line.counters()).toMatchObject({ repeated: 2, silent: 3 });
    expect(line.state().up).toBe(true);
  });

  test("an answer that arrives whole and breaks the protocol is not requested again", async () => {
    const line = await up((message) =>
      message[1] === 0x1a ? withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0x1a, 0)) : undefined,
    );
    const answer = line.poll(currentCredits());
    await clock.pass(1_000);
    expect(await answer).toEqual({ is: "garbled", why: "00001a00 is not BCD" });
    expect(line.counters()).toMatchObject({ unreadable: 1, repeated: 0 });
  });

  test("a line without answers rests until the machine knows that the loop is broken, then synchronises it", async () => {
    const line = open();
    await clock.pass(5_900);
    expect(polls()).toEqual(["81", "81", "81", "81", "81"]);
    await clock.pass(600);
    expect(polls().slice(5, 7)).toEqual(["80", "81"]);
    expect(line.state().up).toBe(false);
  });

  test("a chirp ends that rest", async () => {
    open();
    await clock.pass(1_500);
    wire.answer(idle);
    wire.unit({ is: "byte", byte: ADDRESS, wakeup: true });
    await clock.pass(100);
    expect(polls().slice(5)).toEqual(["80", "81", "80"]);
    expect(states.map((state) => state.up)).toEqual([true]);
  });

  test("an answer that cannot be read is refused by the same poll again", async () => {
    let bad = 1;
    const line = await up((message) => {
      if (message[1] !== 0x1a) return undefined;
      bad -= 1;
      return bad >= 0 ? Uint8Array.of(1, 0x1a, 0, 0, 0, 1, 0, 0) : withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0, 1));
    });
    const answer = line.poll(currentCredits());
    await clock.pass(2_000);
    expect(await answer).toEqual({ is: "answered", answer: 1 });
    expect(polls().join(" ")).toMatch(/011a 011a/);
    expect(line.counters()).toMatchObject({ garbled: 1, repeated: 1 });
  });

  test("busy is waited out, a general poll between", async () => {
    let busy = 2;
    const line = await up((message) => {
      if (message[1] !== 0x1a) return undefined;
      busy -= 1;
      return busy >= 0 ? Uint8Array.of(1, 0) : withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0, 7));
    });
    const answer = line.poll(currentCredits());
    await clock.pass(3_000);
    expect(await answer).toEqual({ is: "answered", answer: 7 });
    expect(
      polls()
        .filter((hex) => hex !== "80")
        .join(" "),
    ).toMatch(/011a 81 011a 81 011a/);
  });

  test("a real-time event in place of an answer is accepted, acknowledged by another poll, and the poll sent again", async () => {
    let pending = true;
    const line = await up((message) => {
      if (message[1] !== 0x1a) return undefined;
      const reply = pending ? [1, 0xff, 0x69] : [1, 0x1a, 0, 0, 0, 7];
      pending = false;
      return withCrc(Uint8Array.from(reply));
    });
    const answer = line.poll(currentCredits());
    await clock.pass(3_000);
    expect(await answer).toEqual({ is: "answered", answer: 7 });
    expect(events).toEqual([{ code: 0x69 }]);
    expect(
      polls()
        .filter((hex) => hex !== "80")
        .join(" "),
    ).toMatch(/011a 81 011a/);
  });

  test("nothing is sent until an exception is durable, however long that takes", async () => {
    let stored: () => void = () => undefined;
    wire.answer((message) => (message[0] === 0x81 ? Uint8Array.of(0x51) : undefined));
    open({ accept: () => new Promise((resolve) => (stored = resolve)) });
    await clock.pass(100);
    const before = polls().length;
    await clock.pass(60_000);
    expect(polls().length).toBe(before);
    stored();
    await clock.pass(10);
    expect(polls().length).toBe(before + 1);
    // A long poll acknowledges, and its answer says that the machine has seen it.
    expect(polls().at(-1)).toBe("011a");
  });

  describe("equal exceptions in a row", () => {
    const BILL: SasEvent = { code: 0x4c };
    const CREDITS = withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0, 0));

    /** A machine without real-time events that has so many bills to report; `sees`: whether a poll of another kind or address arrives. */
    function bills(count: number, credits: Uint8Array | null = CREDITS, sees = true) {
      let left = count;
      let isShown = false;
      return (message: Uint8Array): Uint8Array | undefined => {
        if (message[0] === 0x81) {
          isShown = left > 0;
          return Uint8Array.of(isShown ? 0x4c : 0);
        }
        if (isShown && sees) left -= 1;
        isShown &&= !sees;
        return message[1] === 0x1a ? (credits ?? undefined) : undefined;
      };
    }

    test("are as many", async () => {
      let acknowledged = 0;
      wire.answer(bills(3));
      open({ acknowledged: () => (acknowledged += 1) });
      await clock.pass(3_000);
      expect(events).toEqual([BILL, BILL, BILL]);
      expect(acknowledged).toBe(3);
    });
    test("are as many when the poll that acknowledges is answered badly", async () => {
      wire.answer(bills(2, CREDITS.subarray(0, -1)));
      open();
      await clock.pass(20_000);
      expect(events).toEqual([BILL, BILL]);
    });
    test("are one when no acknowledgement arrives at the machine", async () => {
      wire.answer(bills(1, null, false));
      open();
      await clock.pass(20_000);
      expect(events).toEqual([BILL]);
    });
    test("are one when storing it took so long that the machine counts the loop as broken", async () => {
      let machine = bills(1);
      let receivedAt = clock.now();
      wire.answer((message) => {
        // It keeps its bill, and has forgotten that it reported it.
        if (clock.now() - receivedAt > 5_000) machine = bills(1);
        receivedAt = clock.now();
        return machine(message);
      });
      open({
        accept: (event) => {
          events.push(event);
          return new Promise((stored) => clock.after(6_000, stored));
        },
      });
      await clock.pass(20_000);
      expect(events).toEqual([BILL]);
    });
    test("are one when the connection was lost before the acknowledgement", async () => {
      wire.answer(bills(2));
      open({
        accept: async (event) => {
          events.push(event);
          if (events.length === 1) wire.unit({ is: "disconnected", why: "The cable is out." });
        },
      });
      await clock.pass(1_000);
      expect(events).toEqual([BILL]);
      wire.unit({ is: "connected" });
      await clock.pass(3_000);
      expect(events).toEqual([BILL, BILL]);
    });
    test("are one where the agent ended before the acknowledgement", async () => {
      wire.answer(bills(2));
      open({ unacknowledged: BILL });
      await clock.pass(3_000);
      expect(events).toEqual([BILL]);
    });
    test("are as many where the agent ended before it and the machine had nothing to report at first", async () => {
      await up(undefined, { unacknowledged: BILL });
      wire.answer(bills(2));
      await clock.pass(3_000);
      expect(events).toEqual([BILL, BILL]);
    });
    test("are one when the later one comes without its data, as after a power cut", async () => {
      wire.answer(bills(1));
      open({ unacknowledged: { ...BILL, data: { what: "gameEnded", win: 5 } } });
      await clock.pass(3_000);
      expect(events).toEqual([]);
    });
  });

  test("a ROM signature arrives in answer to a general poll", async () => {
    let late = false;
    const signatures: number[] = [];
    wire.answer((message) => {
      if (message[1] === 0x21) return Uint8Array.of(1);
      if (message[0] !== 0x81) return undefined;
      const signature = late ? withCrc(Uint8Array.of(1, 0x21, 0x34, 0x12)) : Uint8Array.of(0);
      late = false;
      return signature;
    });
    const line = open({ romSignature: (signature) => signatures.push(signature) });
    await clock.pass(100);
    const answer = line.poll(romSignature(0x1234));
    await clock.pass(1_000);
    expect(await answer).toMatchObject({ is: "answered" });
    late = true;
    await clock.pass(1_000);
    expect(signatures).toEqual([0x1234]);
  });

  test("urgent polls go first", async () => {
    const line = await up((message) => {
      if (message[1] === 0x0f) return withCrc(Uint8Array.of(1, 0x0f, ...new Array(24).fill(0)));
      return message[1] === 0x1a ? withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0, 0)) : undefined;
    });
    const answers = [line.poll(mainMeters()), line.poll(mainMeters()), line.poll(currentCredits(), { urgent: true })];
    await clock.pass(3_000);
    await Promise.all(answers);
    expect(polls().find((hex) => hex.length === 4)).toBe("011a");
  });

  test("the link is down after five silent seconds, its polls end, and it comes up again by itself", async () => {
    const line = await up();
    wire.answer(() => undefined);
    const answer = line.poll(mainMeters());
    await clock.pass(400);
    const second = line.poll(currentCredits());
    await clock.pass(8_000);
    expect((await answer).is).toBe("silent");
    expect((await second).is).toMatch(/silent|down/);
    expect(line.state()).toEqual({ up: false, why: "The machine at address 1 has not answered for 5000 ms." });
    expect(await line.poll(currentCredits())).toEqual({ is: "down" });
    wire.answer(idle);
    await clock.pass(8_000);
    expect(states.map((state) => state.up)).toEqual([true, false, true]);
  });

  test("a chirp of another address says which one the machine has", async () => {
    const line = open();
    await clock.pass(300);
    wire.unit({ is: "byte", byte: 7, wakeup: true });
    await clock.pass(6_000);
    expect(line.counters()).toMatchObject({ chirps: 1, chirpAddress: 7 });
    expect(line.state().why).toBe("A machine calls with address 7; the agent polls address 1.");
  });

  test("a front end's gap inside a message damages it, one before it does not; so does a framing error", async () => {
    const line = await up();
    const feed = (units: readonly LineUnit[]) => {
      wire.answer((message) => {
        if (message[1] === 0x1a) clock.after(1, () => units.forEach((unit) => void wire.unit(unit)));
        return idle(message);
      });
      const answer = line.poll(currentCredits());
      return answer;
    };
    const message = [...withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0, 1))].map<LineUnit>((byte) => ({
      ...{ is: "byte" as const, byte, wakeup: false },
    }));
    const outcomes: PollOutcome<number>[] = [];
    for (const units of [
      [{ is: "gap", ms: 127 } as const, ...message],
      [...message.slice(0, 3), { is: "gap", ms: 5 } as const, ...message.slice(3)],
      [...message.slice(0, 3), { is: "gap", ms: 6 } as const, ...message.slice(3)],
      [...message.slice(0, 3), { is: "damage", what: "framing" } as const, ...message.slice(3)],
    ]) {
      const answer = feed(units);
      await clock.pass(1_000);
      outcomes.push(await answer);
      // After an answer that could not be read three times the line begins anew.
      await clock.pass(8_000);
    }
    expect(outcomes.map(({ is }) => is)).toEqual(["answered", "answered", "garbled", "garbled"]);
    expect(outcomes[2]).toEqual({ is: "garbled", why: "a gap of 6 ms inside the message" });
  });

  test("bytes that no poll waits for are counted, and the next poll waits until the line is quiet", async () => {
    const line = await up();
    for (let n = 0; n < 50; n += 1) {
      wire.bytes(Uint8Array.of(0x55));
      await clock.pass(9);
    }
    const during = polls().filter((hex) => hex === "81").length;
    expect(during).toBeLessThanOrEqual(3);
    await clock.pass(500);
    expect(line.counters().stray + line.counters().garbled).toBeGreaterThan(40);
    expect(line.state().up).toBe(true);
  });

  test("when the carrier is away, polls end as down and the line begins anew with it", async () => {
    const line = await up();
    const answer = line.poll(currentCredits());
    wire.unit({ is: "disconnected", why: "The front end closed the connection." });
    expect(await answer).toEqual({ is: "down" });
    expect(line.state()).toEqual({ up: false, why: "The front end closed the connection." });
    wire.sent.length = 0;
    await clock.pass(5_000);
    expect(polls()).toEqual([]);
    wire.unit({ is: "connected" });
    await clock.pass(100);
    expect(polls().slice(0, 2)).toEqual(["81", "80"]);
    await line.close();
    expect(await line.poll(currentCredits())).toEqual({ is: "down" });
  });

  test("every exchange is traced", async () => {
    const line = await up((message) => (message[1] === 0x1a ? withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0, 0)) : undefined));
    void line.poll(currentCredits());
    await clock.pass(500);
    const lines = exchanges.map(traceLine);
    expect(lines.join("")).toMatch(/^\d+ 011a 011a00000000[0-9a-f]{4} answer 2\.0$/m);
    expect(lines.join("")).toMatch(/^\d+ 81 00 event 2\.0$/m);
    expect(lines.join("")).toMatch(/^\d+ 80 - spacer 0\.0$/m);
  });
});

/** What the line does to one message. Flips only hurt answers: a flipped general poll is another machine's, which no checksum detects. */
type Fault = "none" | "lose poll" | "lose answer" | "flip" | "cut";

/**
 * The machine's side of implied acknowledgement, written from the same rules: an exception leaves its queue only when a poll of another
 * kind or address follows the answer that carried it.
 */
class ModelMachine {
  readonly queue: number[];
  /** Exceptions that it has forgotten because they were acknowledged. */
  readonly forgotten: number[] = [];
  readonly realTime: boolean;
  #pending: { key: string; answer: Uint8Array; event: number | undefined; nacks: number } | undefined;
  #synchronised = false;
  #addressedAt = 0;
  readonly #now: () => number;

  constructor(queue: readonly number[], realTime: boolean, now: () => number) {
    this.#now = now;
    this.queue = [...queue];
    this.realTime = realTime;
  }

  receive(message: Uint8Array): Uint8Array | undefined {
    const [first = 0, second] = message;
    if (this.#now() - this.#addressedAt > 5_000) {
      this.#synchronised = false;
      this.#pending = undefined;
    }
    this.#addressedAt = this.#now();
    if ((first & 0x7f) !== ADDRESS) {
      this.#synchronised = true;
      this.#acknowledge();
      return undefined;
    }
    if (!this.#synchronised) return undefined;
    const key = first >= 0x80 ? "general" : String(second);
    const pending = this.#pending;
    if (pending?.key === key) {
      pending.nacks += 1;
      if (pending.nacks <= 2) return pending.answer;
      this.#pending = undefined;
    }
    this.#acknowledge();
    return this.#fresh(key, message);
  }

  #acknowledge(): void {
    if (this.#pending?.event !== undefined) {
      expect(this.queue[0]).toBe(this.#pending.event);
      this.forgotten.push(this.#pending.event);
      this.queue.shift();
    }
    this.#pending = undefined;
  }

  #fresh(key: string, message: Uint8Array): Uint8Array {
    const [event] = this.queue;
    const general = key === "general";
    if (event !== undefined && (general || this.realTime)) {
      const answer = this.realTime ? withCrc(Uint8Array.of(ADDRESS, 0xff, event)) : Uint8Array.of(event);
      this.#pending = { key, answer, event, nacks: 0 };
      return answer;
    }
    const answer = general ? Uint8Array.of(0) : withCrc(Uint8Array.of(ADDRESS, message[1] ?? 0, 0, 0, 0, 9));
    this.#pending = { key, answer, event: undefined, nacks: 0 };
    return answer;
  }
}

describe("over any line", () => {
  const faults = fc.array(fc.constantFrom<Fault>("none", "none", "none", "lose poll", "lose answer", "flip", "cut"), {
    maxLength: 60,
  });
  const queues = fc.array(fc.constantFrom(0x11, 0x12, 0x20, 0x51, 0x52, 0x66, 0x69, 0x6f, 0x4c, 0x4c, 0x4c, 0x86), {
    maxLength: 10,
  });
  const delays = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 });

  test("no exception is lost or taken twice, equal ones are not one, none is acknowledged before it is stored, and every poll is answered in the end", async () => {
    await fc.assert(
      fc.asyncProperty(queues, faults, delays, fc.boolean(), fc.integer({ min: 0, max: 3 }), async (...given) => {
        const [queue, plan, stores, realTime, longPolls] = given;
        const clock = fakeClock();
        const wire = testCarrier(clock);
        const machine = new ModelMachine(queue, realTime, clock.now);
        const stored: number[] = [];
        let message = 0;
        let stores_ = 0;
        wire.answer((poll) => {
          // Three silent answers in a row are what a long poll that the machine lacks looks like.
          const fault = message % 3 === 2 ? "none" : (plan[message] ?? "none");
          message += 1;
          if (fault === "lose poll") return undefined;
          const answer = machine.receive(poll);
          expect(stored.slice(0, machine.forgotten.length)).toEqual(machine.forgotten);
          if (answer === undefined || fault === "lose answer") return undefined;
          if (fault === "cut") return answer.subarray(0, -1);
          // One exception byte has no checksum, so only whole messages are flipped.
          const flippable = fault === "flip" && answer.length > 1;
          return flippable ? answer.map((byte, at) => (at === answer.length - 1 ? byte ^ 0x10 : byte)) : answer;
        });
        const line = new Line({
          ...{ carrier: wire.carrier, clock, address: ADDRESS, timing },
          changed: ({ up }) => {
            if (up) for (let n = 0; n < longPolls; n += 1) void line.poll(currentCredits());
          },
          accept: (event) =>
            new Promise((resolve) => {
              stores_ += 1;
              clock.after(stores[stores_ % stores.length] ?? 0, () => {
                stored.push(event.code);
                resolve();
              });
            }),
        });
        wire.unit({ is: "connected" });
        await clock.pass(30_000);
        expect(stored).toEqual(queue);
        expect(machine.queue).toEqual([]);
        expect(line.state().up).toBe(true);
        const answers = Array.from({ length: longPolls }, () => line.poll(currentCredits()));
        await clock.pass(3_000);
        for (const answer of await Promise.all(answers)) expect(answer).toEqual({ is: "answered", answer: 9 });
        for (const { message: sent } of wire.sent) if (sent.length > 2) expect(crcHolds(sent)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
