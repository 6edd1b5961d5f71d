import { gameSocket } from "@longarm/contract/game-socket";
import type { PaymentsAnswer } from "@longarm/contract/player-payments";
import type { Answer } from "@longarm/link/answer";
import type { Peer } from "@longarm/link/peer";
import { createPeer } from "@longarm/link/peer";
import { fromWs } from "@longarm/link/ws-socket";
import type { PlatformNode } from "./platform-node.ts";
import type { PaymentAsk } from "./provider-side.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";
import type { Weather, Wire } from "./wire.ts";
import { openWire } from "./wire.ts";

export type VisitorParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly platform: () => PlatformNode;
  readonly count: (fault: string) => void;
};

type Direction = "cashIn" | "cashOut";
/** One money command as the player's page knows it. */
export type Ask = {
  readonly id: string;
  readonly machineId: string;
  readonly direction: Direction;
  readonly amount: number | null;
  /** What the page was answered first, if anything: `done 500`, `refused 60040 …`, `unknown`. */
  pageOutcome: string | undefined;
  /** Sent again under its id: what was refused before it was saved may be done by then. */
  repeated: boolean;
};

/** A held seat as the player's page knows it. `taken`: the price that the first answer said; undefined: no answer, or a refusal that may come late. */
export type HoldAsk = { readonly id: string; taken: number | "refused" | undefined; repeated: boolean };

type Seat = { readonly machineId: string; readonly epoch: number; seq: number };

/** A player with a page that may be gone, late, or twice there. */
export class Visitor {
  readonly playerId: string;
  weather: Weather;
  readonly asks: Ask[] = [];
  readonly holds: HoldAsk[] = [];
  readonly payments: PaymentAsk[] = [];
  seat: Seat | undefined;
  readonly #parts: VisitorParts;
  #page: { readonly life: Life; readonly peer: Peer<typeof gameSocket, "client">; readonly wire: Wire } | undefined;
  #ids = 0;
  /** Payments that the page may cancel, as the last answer said. */
  #cancellable: readonly string[] = [];
  #pages = 0;

  constructor(playerId: string, parts: VisitorParts, weather: Weather) {
    this.playerId = playerId;
    this.weather = weather;
    this.#parts = parts;
  }

  /** The page is closed without a word. */
  drop(): void {
    const page = this.#page;
    if (page === undefined) return;
    this.#page = undefined;
    this.seat = undefined;
    page.life.dead = true;
    page.wire.cut();
  }

  /** The line to the platform is cut; the page will notice. */
  cutLink(): void {
    this.#page?.wire.cut();
  }

  /** Opens a page at a machine and sits down there. An older page of the same player stays open until the platform closes it. */
  async sit(machineId: string): Promise<boolean> {
    const { schedule, chance, platform, count } = this.#parts;
    const node = platform();
    if (!node.ready) return false;
    this.#pages += 1;
    const life: Life = { dead: false, name: `page ${this.#pages} of ${this.playerId}` };
    const wire = openWire({ schedule, chance, count, weather: () => this.weather }, [life, node.life]);
    const gone = (): void => {
      if (this.#page?.life !== life) return;
      this.#page = undefined;
      this.seat = undefined;
    };
    const peer = createPeer({
      contract: gameSocket,
      end: "client",
      socket: fromWs(wire.ends[0]),
      timers: schedule.clockOf(life),
      handlers: {},
      listeners: {},
      log: () => undefined,
      onClose: gone,
    });
    this.#page = { life, peer, wire };
    this.seat = undefined;
    await node.admit("/game", wire.ends[1], { query: `machine=${machineId}&token=${this.playerId}` });
    const answer = await peer.request("init", { machineID: machineId });
    if (this.#page?.life !== life || answer.is !== "done" || answer.data.epoch === undefined) return false;
    this.seat = { machineId, epoch: answer.data.epoch, seq: 0 };
    return true;
  }

  async money(direction: Direction, amount: number | null): Promise<void> {
    if (this.seat === undefined) return;
    this.#ids += 1;
    const id = `ask-${this.#ids}-of-${this.playerId}`;
    const ask: Ask = { id, machineId: this.seat.machineId, direction, amount, pageOutcome: undefined, repeated: false };
    this.asks.push(ask);
    await this.#send(ask);
  }

  /** Sends an earlier command again, under the same id. */
  async repeat(back: number): Promise<void> {
    const ask = this.asks.at(-1 - back);
    if (ask === undefined || this.seat?.machineId !== ask.machineId) return;
    ask.repeated = true;
    await this.#send(ask);
  }

  /** Holds the seat for its price. `again`: by the last id, as a page whose answer was lost; `leaves`: closes the page once it is held. */
  async hold({ price, again, leaves }: { readonly price: number; readonly again: boolean; readonly leaves: boolean }) {
    const page = this.#page;
    if (page === undefined || this.seat === undefined) return;
    let hold = this.holds.at(-1);
    if (hold === undefined || !again) {
      hold = { id: `hold-${this.holds.length}-of-${this.playerId}`, taken: undefined, repeated: false };
      this.holds.push(hold);
    } else hold.repeated = true;
    if (this.weather.doubled > 0) hold.repeated = true;
    const answer = await page.peer.request("hold", { id: hold.id, price });
    if (answer.is === "unknown") return;
    hold.taken ??= answer.is === "done" ? answer.data.price : "refused";
    if (leaves && answer.is === "done" && this.#page === page) this.drop();
  }

  /** Requests a payment. */
  async pay(wish: Pick<PaymentAsk, "kind" | "way" | "amount">): Promise<void> {
    const id = `pay-${this.payments.length}-of-${this.playerId}`;
    const ask: PaymentAsk = { id, ...wish, isTaken: undefined, repeated: false };
    this.payments.push(ask);
    await this.#requestPayment(ask);
  }

  /** Requests an earlier payment again, under the same id. */
  async payAgain(back: number): Promise<void> {
    const ask = this.payments.at(-1 - back);
    if (ask === undefined) return;
    ask.repeated = true;
    await this.#requestPayment(ask);
  }

  async cancelPayment(at: number): Promise<void> {
    const payment = this.#cancellable[at % this.#cancellable.length];
    if (payment !== undefined) await this.#paid("/v1/player/payments/cancel", { payment });
  }

  async #requestPayment(ask: PaymentAsk): Promise<void> {
    const { id, kind, way, amount } = ask;
    const status = await this.#paid("/v1/player/payments", { id, kind, way, amount });
    // What failed may have been written down all the same.
    if (status !== undefined && status < 500) ask.isTaken ??= status === 200;
  }

  async #paid(path: string, body: object): Promise<number | undefined> {
    const answer = await this.#parts.platform().call(path, this.playerId, body);
    if (answer?.status !== 200) return answer?.status;
    const { payments } = answer.body as PaymentsAnswer;
    this.#cancellable = payments.filter(({ mayCancel }) => mayCancel).map(({ id }) => id);
    return answer.status;
  }

  async leave(): Promise<boolean> {
    const answer = await this.#page?.peer.request("leave", {});
    return answer?.is === "done" && answer.data.outcome === "done";
  }

  async stay(): Promise<void> {
    await this.#page?.peer.request("continue", {});
  }

  /** The next press of this seat, as the page sends it. */
  press(button: string, stake: number | undefined, at: number) {
    if (this.seat === undefined) return undefined;
    this.seat.seq += 1;
    const { epoch, seq } = this.seat;
    return { epoch, seq, button, at, ...(stake !== undefined && { stake }) };
  }

  /** A press over the platform, for a page without a data channel. */
  async pressOver(press: NonNullable<ReturnType<Visitor["press"]>>): Promise<void> {
    await this.#page?.peer.request("press", press);
  }

  async #send(ask: Ask): Promise<void> {
    const page = this.#page;
    if (page === undefined) return;
    if (this.weather.doubled > 0) ask.repeated = true;
    const { id, amount } = ask;
    const answer =
      ask.direction === "cashIn"
        ? await page.peer.request("cashIn", { id, amount: amount ?? 0 })
        : await page.peer.request("cashOut", { id, ...(amount !== null && { amount }) });
    const pageOutcome = wordOf(answer);
    if (ask.pageOutcome === undefined || pageOutcome.startsWith("done")) ask.pageOutcome = pageOutcome;
  }
}

function wordOf(answer: Answer<{ outcome: string; amount: number }>): string {
  if (answer.is === "done") return answer.data.outcome === "done" ? `done ${answer.data.amount}` : "unknown";
  return answer.is === "refused" ? `refused ${answer.refusal.code} ${answer.refusal.reason}` : "unknown";
}
