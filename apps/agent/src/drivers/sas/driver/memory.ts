import { join } from "node:path";
import * as z from "zod/mini";
import { encodeLine, readLines } from "../../../journal/line.ts";
import { createQueue } from "../../../machine/machine-queue.ts";
import type { EgmEvent, EgmTransferDirection } from "../../../ports/egm.ts";
import type { Files, OpenFile } from "../../../ports/files.ts";
import type { SasEvent } from "../protocol/events.ts";

/** An exception that is durable here and acknowledged at the machine, or about to be. */
export type StoredException = { readonly number: number; readonly at: number; readonly event: SasEvent };

/** One hand pay that waits at the machine. Minor units. */
export type WaitingHandPay = {
  id: string;
  amount: number;
  kind: "win" | "cancelledCredits";
  gameNumber?: number | undefined;
};

/** The game in progress. Minor units; `stake` null: the machine has not said it yet. */
export type OpenGame = { number: number; startedAt: number; stake: number | null; coinIn: number; coinOut: number };

/** What the driver knows of its machine and the machine does not say when requested. */
export type DriverState = {
  /** Number of the last event for the agent. */
  seq: number;
  game: OpenGame | null;
  /** Number of the last game that began. */
  games: number;
  /** Coin-in, credits, as the event of the last wager stated it: a machine repeats that event when its power went before our acknowledgement. */
  wagerCoinIn: number | null;
  /** Win of the last complete game. */
  win: number | null;
  /** Codes of the doors that are open. */
  doors: number[];
  tilted: boolean;
  /** What the agent wants: a machine forgets it with its power. */
  disabled: boolean;
  handPays: WaitingHandPay[];
  handPayNumber: number;
  /** When the machine said that its queue of exceptions had run over, by the agent's clock; absent: not since the last game ended or began. */
  overflowAt?: number | undefined;
  /**
   * Credit less all that came and went, by the meters, when they were first read: what a machine had before it was connected, minor
   * units. Null: not read yet.
   */
  base: number | null;
};

/** An order that went to the machine. `index`: its place in the machine's history, once done. */
export type KnownTransfer = {
  id: string;
  direction: EgmTransferDirection;
  /** Null: everything. */
  requested: number | null;
  state: "sent" | "done";
  amount: number;
  at: number;
  index: number;
  /** Cumulative meter of its direction before it, minor units. Absent: ordered by a driver that did not note it. */
  meterBefore?: number | undefined;
};

const NEW_STATE: DriverState = {
  ...{ seq: 0, game: null, games: 0, wagerCoinIn: null, win: null, doors: [], tilted: false, disabled: false },
  ...{ handPays: [], handPayNumber: 0, base: null },
};

const Stored = z.discriminatedUnion("t", [
  z.object({ t: z.literal("exception"), number: z.int(), at: z.number(), event: z.custom<SasEvent>(isObject) }),
  z.object({
    t: z.literal("processed"),
    number: z.int(),
    state: z.custom<DriverState>(isObject),
    events: z.array(z.custom<EgmEvent>(isObject)),
  }),
  z.object({ t: z.literal("transfer"), transfer: z.custom<KnownTransfer>(isObject) }),
  z.object({ t: z.literal("refused"), id: z.string() }),
  z.object({ t: z.literal("acknowledged"), number: z.int() }),
  z.object({ t: z.literal("taken"), seqs: z.array(z.int()) }),
]);
type Stored = z.infer<typeof Stored>;

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Transfers that are remembered: more than the longest history of a machine. */
const TRANSFERS_MAX = 200;
/** The file is written anew when it is this long, bytes. */
const FILE_BYTES_MAX = 1_000_000;
const FILE = "driver.log";

/**
 * The driver's durable memory of one machine. Every method that changes it resolves when the change survives a power cut; one that
 * rejects has changed nothing that was promised.
 */
export class DriverMemory {
  readonly #files: Files;
  readonly #folder: string;
  readonly #queue = createQueue();
  #file: OpenFile;
  #bytes: number;
  #state: DriverState = NEW_STATE;
  #exceptions: StoredException[] = [];
  #lastException: StoredException | undefined;
  #exceptionNumber = 0;
  /** Number of the last exception that the machine knows to be stored. */
  #acknowledged = 0;
  #events: EgmEvent[] = [];
  readonly #transfers = new Map<string, KnownTransfer>();

  private constructor(files: Files, folder: string, file: OpenFile) {
    this.#files = files;
    this.#folder = folder;
    this.#file = file;
    this.#bytes = 0;
  }

  /** Throws `JournalDamaged` when what was durable has changed. */
  static async open(files: Files, folder: string): Promise<DriverMemory> {
    await files.makeFolder(folder, 0o700);
    const bytes = (await files.read(join(folder, FILE))) ?? Buffer.alloc(0);
    const memory = new DriverMemory(files, folder, await files.open(join(folder, FILE)));
    const { lines, goodBytes } = readLines(bytes);
    for (const line of lines) memory.#apply(Stored.parse(JSON.parse(line)));
    await memory.#file.truncate(goodBytes);
    memory.#bytes = goodBytes;
    return memory;
  }

  /** What an earlier run knew of the machine; the file stays as it is. Undefined: there was none. Throws as `open` does. */
  static async known(files: Files, folder: string): Promise<DriverState | undefined> {
    const bytes = await files.read(join(folder, FILE));
    if (bytes === undefined) return undefined;
    const all = readLines(bytes).lines.map((line) => Stored.parse(JSON.parse(line)));
    const last = all.findLast((stored) => stored.t === "processed");
    return last && { ...NEW_STATE, ...last.state };
  }

  state(): DriverState {
    return this.#state;
  }

  /** Stored exceptions that have not become events yet, oldest first. */
  exceptions(): readonly StoredException[] {
    return this.#exceptions;
  }

  /** The last exception, while the machine may not know that it is stored, and so may repeat it. */
  unacknowledged(): SasEvent | undefined {
    const last = this.#lastException;
    return last === undefined || last.number <= this.#acknowledged ? undefined : last.event;
  }

  /** The machine knows that the last exception is stored. */
  acknowledged(): Promise<void> {
    return this.#append({ t: "acknowledged", number: this.#exceptionNumber });
  }

  /** Events that the agent has not acknowledged, oldest first. */
  events(): readonly EgmEvent[] {
    return this.#events;
  }

  transfer(id: string): KnownTransfer | undefined {
    return this.#transfers.get(id);
  }

  /** The newest of a direction that the machine has carried out. */
  lastDone(direction: EgmTransferDirection): KnownTransfer | undefined {
    return [...this.#transfers.values()].findLast((one) => one.direction === direction && one.state === "done");
  }

  /** Whether an order may still be open: the machine's record has not decided it. */
  hasOpenTransfer(): boolean {
    return [...this.#transfers.values()].some(({ state }) => state === "sent");
  }

  /** Event numbers continue behind this one, which the agent knows already. */
  async countOnFrom(seq: number): Promise<void> {
    if (this.#state.seq < seq) await this.processed(0, { ...this.#state, seq }, []);
  }

  /** Before the machine learns that it was received. */
  async store(event: SasEvent, at: number): Promise<StoredException> {
    const exception = { number: this.#exceptionNumber + 1, at, event };
    await this.#append({ t: "exception", ...exception });
    return exception;
  }

  /** What an exception, or reading the machine (`number` 0), has come to. */
  processed(number: number, state: DriverState, events: readonly EgmEvent[]): Promise<void> {
    return this.#append({ t: "processed", number, state, events: [...events] });
  }

  keepTransfer(transfer: KnownTransfer): Promise<void> {
    return this.#append({ t: "transfer", transfer });
  }

  /** The machine refused it: its id may be ordered again. */
  forgetTransfer(id: string): Promise<void> {
    return this.#append({ t: "refused", id });
  }

  taken(seqs: readonly number[]): Promise<void> {
    return this.#append({ t: "taken", seqs: [...seqs] });
  }

  async close(): Promise<void> {
    await this.#queue(() => this.#file.close());
  }

  #append(stored: Stored): Promise<void> {
    return this.#queue(async () => {
      if (this.#bytes > FILE_BYTES_MAX) await this.#rewrite();
      await this.#write(this.#file, [stored]);
      this.#apply(stored);
    });
  }

  async #write(file: OpenFile, all: readonly Stored[]): Promise<void> {
    const lines = all.map((stored) => encodeLine(this.#bytes, JSON.stringify(stored)));
    const bytes = Buffer.from(lines.join(""));
    await file.write(bytes, this.#bytes);
    await file.sync();
    this.#bytes += bytes.length;
  }

  /** A new file beside the old one, which stays valid until the rename. */
  async #rewrite(): Promise<void> {
    const next = join(this.#folder, `${FILE}.next`);
    const file = await this.#files.open(next);
    const before = this.#bytes;
    this.#bytes = 0;
    try {
      await file.truncate(0);
      await this.#write(file, this.#whole());
      await this.#files.rename(next, join(this.#folder, FILE));
      await this.#files.syncFolder(this.#folder);
    } catch (error) {
      this.#bytes = before;
      await file.close();
      throw error;
    }
    await this.#file.close();
    this.#file = file;
  }

  #whole(): Stored[] {
    const last = this.#lastException;
    return [
      ...[...this.#transfers.values()].map((transfer) => ({ t: "transfer", transfer }) as const),
      ...(last === undefined || this.#exceptions.includes(last) ? [] : [{ t: "exception", ...last } as const]),
      { t: "processed", number: last?.number ?? 0, state: this.#state, events: this.#events },
      ...this.#exceptions.map((exception) => ({ t: "exception", ...exception }) as const),
      { t: "acknowledged", number: this.#acknowledged },
    ];
  }

  #apply(stored: Stored): void {
    switch (stored.t) {
      case "exception": {
        const { t: _t, ...exception } = stored;
        this.#exceptions.push(exception);
        this.#lastException = exception;
        this.#exceptionNumber = exception.number;
        return;
      }
      case "processed":
        this.#state = { ...NEW_STATE, ...stored.state };
        this.#events.push(...stored.events);
        if (stored.number > 0) this.#exceptions = this.#exceptions.filter(({ number }) => number !== stored.number);
        return;
      case "transfer":
        this.#transfers.delete(stored.transfer.id);
        this.#transfers.set(stored.transfer.id, stored.transfer);
        if (this.#transfers.size > TRANSFERS_MAX) this.#transfers.delete(this.#transfers.keys().next().value ?? "");
        return;
      case "refused":
        this.#transfers.delete(stored.id);
        return;
      case "acknowledged":
        this.#acknowledged = stored.number;
        return;
      case "taken":
        this.#events = this.#events.filter(({ seq }) => !stored.seqs.includes(seq));
        return;
      default:
        stored satisfies never;
    }
  }
}
