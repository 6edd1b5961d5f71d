import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FakeAgent } from "../../../testing/fake-agent.ts";
import type { Mood } from "../../../testing/fake-machine.ts";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import type { Page } from "../../../testing/fake-page.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";

const DEPOSIT = 20_000;

/** One player at one machine, through everything that can go wrong between them. */
class Story {
  readonly #made: PlayVenue[] = [];
  readonly machine: FakeMachine;
  readonly name: string;
  venue: PlayVenue;
  token = "";
  playerId = "";
  agent: FakeAgent | undefined;
  page: Page | undefined;
  /** What the games have won less what they have staked. */
  net = 0;
  #ids = 0;
  #lastCashIn: { id: string; amount: number } | undefined;

  constructor(venue: PlayVenue, number: number) {
    this.venue = venue;
    this.#made.push(venue);
    this.name = `story-${number}`;
    this.machine = new FakeMachine(this.name);
  }

  async begin(): Promise<void> {
    await this.linkAgent();
    const player = await this.venue.player(this.name.replace("-", "."), DEPOSIT);
    this.playerId = player.id;
    this.token = player.token;
    await this.sit();
  }

  async linkAgent(): Promise<void> {
    if (this.agent) return;
    this.machine.mood = "well";
    this.agent = await this.venue.agent([this.machine], `agent of ${this.name}`);
    await eventually(async () => expect((await this.agent?.hello())?.is).toBe("done"));
    await this.agent.pump();
  }

  async killAgent(): Promise<void> {
    await this.agent?.kill();
    this.agent = undefined;
  }

  async sit(): Promise<void> {
    this.page?.drop();
    this.page = await this.venue.page(this.token, this.name);
    // Refused while the machine is away or credits are on their way; then the story goes on without a seat.
    await this.page.init();
  }

  async cashIn(amount: number, mood: Mood): Promise<void> {
    this.#ids += 1;
    this.#lastCashIn = { id: `${this.name}-in-${this.#ids}`, amount };
    await this.#withMood(mood, () => this.page?.peer.request("cashIn", this.#lastCashIn ?? { id: "", amount }));
  }

  async repeat(): Promise<void> {
    if (this.#lastCashIn) await this.page?.peer.request("cashIn", this.#lastCashIn);
  }

  async cashOut(amount: number | undefined, mood: Mood): Promise<void> {
    this.#ids += 1;
    const id = `${this.name}-out-${this.#ids}`;
    await this.#withMood(mood, () =>
      this.page?.peer.request("cashOut", { id, ...(amount !== undefined && { amount }) }),
    );
  }

  /** A silent machine is one whose agent dies: nobody waits for the deadline. */
  async #withMood(mood: Mood, command: () => Promise<unknown> | undefined): Promise<void> {
    const before = this.machine.asked.length;
    this.machine.mood = mood;
    const asking = command();
    if (mood === "silentBefore" || mood === "silentAfter") {
      await Promise.race([asking, eventually(() => expect(this.machine.asked.length).toBeGreaterThan(before))]);
      await this.killAgent();
    }
    await asking;
    this.machine.mood = "well";
  }

  async play(win: number): Promise<void> {
    // A machine plays no game while a transfer of it is pending.
    if (this.machine.isPending || this.machine.credit < this.machine.bet || this.machine.playSessionId === undefined)
      return;
    this.net += win - this.machine.bet;
    this.machine.play(win);
    await this.agent?.pump();
  }

  async restart(): Promise<void> {
    const { database } = this.venue;
    await this.venue.end(true);
    this.agent = undefined;
    this.venue = await playVenue({ database });
    await this.linkAgent();
    await this.sit();
  }

  /** Everything is repaired and the player goes home. */
  async end(): Promise<void> {
    this.machine.finishPending("done");
    await this.linkAgent();
    await this.agent?.pump();
    await eventually(async () => {
      const reply = await this.venue.app.inject({
        method: "POST",
        url: "/v1/player/cancel",
        headers: { authorization: `Bearer ${this.token}` },
        payload: { machineId: this.name },
      });
      expect([20_000, 50_100]).toContain(reply.json().code);
      expect((await this.venue.seat(this.name)).state).toBe("free");
    });
    expect(await this.venue.balanceOf(this.playerId)).toEqual({ balance: DEPOSIT + this.net });
    expect(this.machine.credit).toBe(0);
    expect(await this.venue.ledgerOf(`machine:${this.name}`)).toBe(0);
    expect(await this.venue.ledger.holdsOf(`player:${this.playerId}`)).toEqual([]);
    expect(await this.venue.ledgerOf("suspense")).toBe(0);
  }

  /** What must hold at every moment, whatever is open. */
  async check(): Promise<void> {
    const { balance, onMachine = 0, pending = 0 } = await this.venue.balanceOf(this.playerId);
    expect(balance).toBeGreaterThanOrEqual(0);
    // A machine that was told nothing of yet may have played: only then the three are not all of it.
    if (this.machine.journal.every(({ is }) => is !== "game"))
      expect(balance + onMachine + pending).toBe(DEPOSIT + this.net);
  }
}

const mood = fc.constantFrom<Mood>(
  "well",
  "well",
  "half",
  "refuses",
  "pending",
  "silentBefore",
  "silentAfter",
  "fails",
);
const deed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("cashIn" as const), amount: fc.integer({ min: 100, max: 9_000 }), mood }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("cashOut" as const),
      amount: fc.option(fc.integer({ min: 1, max: 9_000 }), { nil: undefined }),
      mood,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("play" as const), win: fc.constantFrom(0, 0, 50, 100, 700) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("repeat", "sit", "linkAgent", "killAgent", "finishPending") }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

async function happen(story: Story, one: Deed): Promise<void> {
  if (one.do === "cashIn") await story.cashIn(one.amount, one.mood);
  else if (one.do === "cashOut") await story.cashOut(one.amount, one.mood);
  else if (one.do === "play") await story.play(one.win);
  else if (one.do === "repeat") await story.repeat();
  else if (one.do === "sit") await story.sit();
  else if (one.do === "linkAgent") await story.linkAgent();
  else if (one.do === "killAgent") await story.killAgent();
  else if (one.do === "restart") await story.restart();
  else story.machine.finishPending("done");
}

test("whatever breaks, wallet and machine add up, and at the end all money is home", async () => {
  let number = 0;
  let venue = await playVenue();
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 14 }), async (deeds) => {
      number += 1;
      const story = new Story(venue, number);
      try {
        await story.begin();
        for (const one of deeds) {
          await happen(story, one);
          await story.check();
        }
        await story.end();
        await story.killAgent();
      } finally {
        venue = story.venue;
      }
    }),
    { seed: 20_261_121, numRuns: WHOLE_RUN ? 25 : 8, endOnFailure: true },
  );
  await venue.end();
}, 240_000);
