import { killedAt } from "@longarm/link/testing";
import { expect, vi } from "vitest";
import type { Keeper } from "../launcher/keeper.ts";
import type { Player } from "./player.ts";
import { allOf } from "./player.ts";
import type { TestVenue } from "./venue/test-venue.ts";

/** Reconnects back off up to 5 s, and a machine on a SAS line is found again after 5 s more. */
const SOON = { timeout: 60_000, interval: 50 };

/** A program that is killed at steps of a transfer; `channel`: the diagnostics channel on which it publishes them. */
export type Victim = { readonly keeper: Pick<Keeper, "kill" | "restart" | "exited">; readonly channel: string };

export type MoneyKillsOptions<Who extends string> = {
  readonly venue: Pick<TestVenue, "ledger" | "ask">;
  readonly player: Player;
  readonly machineId: string;
  /** Minor units, moved by each transfer. */
  readonly amount: number;
  readonly victims: Readonly<Record<Who, Victim>>;
  /** What must hold besides after each kill, once nothing is being checked any more. */
  readonly agrees?: () => Promise<void>;
};

/** One kill: at a step of its own, and perhaps a second program at the same moment. `next`: the step of the kill after it. */
export type Kill<Who extends string> = {
  readonly who: Who;
  readonly step: string;
  readonly next?: string | undefined;
  readonly also?: Who | undefined;
};

const isCashIn = (step: string): boolean => /^(cashIn|toMachine)\./.test(step);

/**
 * Kills programs with -9 in the middle of a cash-in or a cash-out. Whatever the moment: wallet, credits on the machine and what is being checked
 * always add up to what the player had; after the restart the transfer has happened once or not at all, and a repeat of its id shows which.
 */
export class MoneyKills<Who extends string> {
  readonly #options: MoneyKillsOptions<Who>;
  /** Which program will kill itself at which step. */
  #armed: { readonly who: Who; readonly step: string } | undefined;
  #all = Number.NaN;
  /** Programs killed at a step, and beside it. */
  count = 0;

  constructor(options: MoneyKillsOptions<Who>) {
    this.#options = options;
  }

  /** What the player has. Call before the first kill, while nothing is under way. */
  async begin(): Promise<void> {
    this.#all = allOf(await this.#options.player.balance());
  }

  /** Sits down, over and over while machine and platform find each other again. */
  async seat() {
    const { player, machineId, venue } = this.#options;
    return await vi.waitFor(async () => {
      const page = await player.open(machineId);
      const answer = await page.peer.request("init", { machineID: machineId });
      if (answer.is === "done") return page;
      page.drop();
      // Who took it out of play, and why.
      const control = await venue.ask("select coalesce(json_agg(c), '[]') as answer from machine_control c");
      throw new Error(`no seat: ${JSON.stringify(answer)} ${JSON.stringify(control)}`);
    }, SOON);
  }

  /** Waits until nothing is being checked any more, while every look at the wallet shows everything the player has. */
  async settled(): Promise<{ balance: number; onMachine: number }> {
    return await vi.waitFor(async () => {
      const now = await this.#options.player.balance();
      expect(allOf(now)).toBe(this.#all);
      if (now.pending !== undefined) throw new Error("a transfer is being checked");
      return { balance: now.balance, onMachine: now.onMachine ?? 0 };
    }, SOON);
  }

  async killAt({ who, step, next, also }: Kill<Who>): Promise<void> {
    const { player, amount, victims, venue, agrees } = this.#options;
    await this.#arm(who, step);
    const before = await this.#prepare(who, step, also);
    const page = await this.seat();
    const attempts = { id: idOf(who, step, also), times: 0 };
    const gone = victims[who].keeper.exited();
    const requested = this.#request(page, step, attempts);
    // A command that was refused never reaches its step: report that at once.
    const early = requested.then<unknown>((answer) => (answer.is === "refused" ? answer : gone));
    expect(await Promise.race([gone, early])).toEqual({ code: null, signal: "SIGKILL" });
    this.count += 1;
    if (also !== undefined) await this.#killBeside(also);
    if (who !== "platform") expect(allOf(await player.balance())).toBe(this.#all);
    const answer = await requested;
    page.drop();

    if (also !== undefined) await victims[also].keeper.restart();
    await this.#revive(who, next);
    const again = await this.seat();
    const { onMachine } = await this.settled();
    expect([0, amount]).toContain(onMachine);
    const moved = onMachine !== before;
    // The answer from before the restart still holds.
    if (answer.is === "done" && answer.data.outcome === "done") expect(moved).toBe(true);
    if (answer.is === "refused") expect(moved).toBe(false);
    await this.#repeatIsTheSame(again, { who, step, id: lastId(attempts), moved });
    await this.settled();
    expect(await venue.ledger.verify()).toEqual([]);
    await agrees?.();
    again.drop();
  }

  async #killBeside(also: Who): Promise<void> {
    await this.#options.victims[also].keeper.kill();
    this.count += 1;
  }

  /**
   * Requests the money, over and over while the machine is on its way back: so far no machine has taken the command. Each time with another id,
   * for one that was refused stays refused.
   */
  async #request(page: Page, step: string, attempts: Attempts) {
    return await vi.waitFor(async () => {
      attempts.times += 1;
      const id = lastId(attempts);
      const answer = await this.#requestOnce(page, step, id);
      if (answer.is === "refused" && answer.refusal.name === "machine.unreachable")
        throw new Error(answer.refusal.reason);
      return answer;
    }, SOON);
  }

  async #requestOnce({ peer }: Page, step: string, id: string) {
    const { amount } = this.#options;
    return await (isCashIn(step) ? peer.request("cashIn", { id, amount }) : peer.request("cashOut", { id }));
  }

  /** Credits on the machine before the step: none for a cash-in, some for a cash-out. */
  async #prepare(who: Who, step: string, also: Who | undefined): Promise<number> {
    const page = await this.seat();
    const { onMachine } = await this.settled();
    const { amount } = this.#options;
    const wanted = isCashIn(step) ? 0 : amount;
    if (onMachine !== wanted) {
      const more = { id: `${idOf(who, step, also)}.prepare`, times: 0 };
      const moved = await this.#request(page, wanted === 0 ? "cashOut." : "cashIn.", more);
      expect(moved).toMatchObject({ is: "done", data: { outcome: "done", amount } });
    }
    page.drop();
    return wanted;
  }

  /** A program that was started for another step is started again for this one. */
  async #arm(who: Who, step: string): Promise<void> {
    const armed = this.#armed;
    if (armed?.who === who && armed.step === step) return;
    const { victims } = this.#options;
    if (armed !== undefined && armed.who !== who) {
      await victims[armed.who].keeper.kill();
      await victims[armed.who].keeper.restart();
    }
    const { keeper, channel } = victims[who];
    await keeper.kill();
    await keeper.restart(killedAt(channel, step));
    this.#armed = { who, step };
  }

  /** Starts what has killed itself, ready for the next step. */
  async #revive(who: Who, next: string | undefined): Promise<void> {
    const { keeper, channel } = this.#options.victims[who];
    await keeper.restart(next === undefined ? {} : killedAt(channel, next));
    this.#armed = next === undefined ? undefined : { who, step: next };
  }

  /** The same id again: the first outcome, and nothing moves. */
  async #repeatIsTheSame(page: Page, first: { who: Who; step: string; id: string; moved: boolean }): Promise<void> {
    // The platform died before it wrote the id down: it would be a new command.
    if (first.who === "platform" && first.step.endsWith(".received")) return expect(first.moved).toBe(false);
    const { onMachine } = await this.settled();
    const repeat = await this.#requestOnce(page, first.step, first.id);
    if (first.moved)
      expect(repeat).toMatchObject({ is: "done", data: { outcome: "done", amount: this.#options.amount } });
    else expect(repeat).toMatchObject({ is: "refused" });
    expect((await this.settled()).onMachine).toBe(onMachine);
  }
}

type Page = Awaited<ReturnType<MoneyKills<string>["seat"]>>;

/** A command that is repeated until a machine takes it, or its program dies. */
type Attempts = { readonly id: string; times: number };
const lastId = ({ id, times }: Attempts): string => `${id}.${times}`;

const idOf = (who: string, step: string, also: string | undefined): string =>
  also === undefined ? `${who}.${step}` : `${who}-${also}.${step}`;
