import { randomOf } from "@longarm/reels/game/random";
import type { GlassView } from "@longarm/reels/picture/view";
import type { Cabinet } from "./cabinet.ts";
import { powerUp } from "./cabinet.ts";
import { DamagedLine, WHOLE_LINE } from "./line-faults.ts";
import type { Button } from "./machine/machine.ts";
import type { Banks } from "./machine/memory.ts";
import { openMemory, PowerCut } from "./machine/memory.ts";
import type { Model } from "./machine/options.ts";
import { sumOf } from "./machine/state.ts";
import type { BoardFaults, Order, ScreenFaults } from "./orders.ts";
import type { Clock } from "./sas/link-layer.ts";
import { meterReadings } from "./sas/long-polls.ts";
import type { Unit } from "./sas/nine-bit.ts";
import { FRAMING_VERSION } from "./sas/nine-bit.ts";

export type PoweredOptions = {
  readonly model: Model;
  readonly clock: Clock;
  readonly banks: Banks;
  /** Units of the framed line for the host. */
  send(units: readonly Unit[]): void;
  readonly gapMsMax?: number;
  readonly wakeup?: "required" | "ignored";
};

export const WHOLE_BOARD: BoardFaults = {
  dead: [],
  swapped: [],
  stuck: [],
  sticky: [],
  worn: [],
  silent: false,
  blind: false,
};
export const WHOLE_SCREEN: ScreenFaults = { dark: false, frozen: false, delayMs: 0 };

/** A cabinet with its mains switch: it can lose its power at any byte and come back, and does what its control orders. */
export class Powered {
  readonly #options: PoweredOptions;
  readonly #toHost: DamagedLine;
  readonly #toMachine: DamagedLine;
  readonly #banks: Banks;
  #model: Model;
  #cabinet: Cabinet | null = null;
  /** Bytes until a write of the memory, or characters until an answer, is cut. */
  #cut: { memory: number | null; line: number | null } = { memory: null, line: null };
  #offMs = 0;
  #busy = false;
  #deaf = false;
  #remote = true;
  #boardFaults = WHOLE_BOARD;
  #screenFaults = WHOLE_SCREEN;
  #onPress: () => void = () => undefined;

  constructor(options: PoweredOptions) {
    this.#options = options;
    this.#model = options.model;
    const random = (way: string) => randomOf(options.model.seed, `line/${way}`);
    this.#toHost = new DamagedLine(options.clock, random("host"), (units) => options.send(units));
    this.#toMachine = new DamagedLine(options.clock, random("machine"), (units) => this.#arrive(units));
    this.#banks = this.#cutBanks(options.banks);
    this.#on();
  }

  #cutBanks(banks: Banks): Banks {
    return {
      ...banks,
      write: (bank, bytes) => {
        const after = this.#cut.memory;
        if (after === null) return banks.write(bank, bytes);
        this.#cut.memory = null;
        banks.write(bank, bytes.subarray(0, after));
        throw new PowerCut("The power was cut on request.");
      },
    };
  }
  #on(): void {
    if (this.#cabinet !== null) return;
    const { clock, gapMsMax, wakeup } = this.#options;
    let powered = true;
    const cabinet = powerUp({
      model: this.#model,
      clock,
      memory: openMemory(this.#banks),
      send: (characters) => this.#answer(characters),
      onPowerCut: () => {
        powered = false;
        this.#dark();
      },
      ...(gapMsMax !== undefined && { gapMsMax }),
      ...(wakeup !== undefined && { wakeup }),
    });
    if (!powered) return;
    cabinet.setBusy(this.#busy);
    cabinet.setDeaf(this.#deaf);
    cabinet.machine.onPress = () => this.#onPress();
    this.#cabinet = cabinet;
  }
  /** The power is gone, and comes back after a while. */
  #dark(): void {
    this.#cabinet?.powerDown();
    this.#cabinet = null;
    this.#options.clock.after(this.#offMs, () => this.#on());
  }
  #answer(characters: readonly Unit[]): void {
    const after = this.#cut.line;
    if (after === null) {
      this.#toHost.send(characters);
      return;
    }
    this.#cut.line = null;
    this.#toHost.send(characters.slice(0, after));
    this.#dark();
  }
  #arrive(units: readonly Unit[]): void {
    for (const unit of units) {
      if (unit.is === "character") this.#cabinet?.line.receive(unit);
      else if (unit.is === "gap") this.#cabinet?.line.gap(unit.ms);
      else if (unit.is === "receiveError") this.#cabinet?.line.receiveError();
    }
  }

  /** What the host sent. */
  receive(units: readonly Unit[]): void {
    this.#toMachine.send(units);
  }
  /** A host has connected: the framing's version goes first. */
  greet(): void {
    this.#options.send([{ is: "version", version: FRAMING_VERSION }]);
  }
  /** A contact of the panel closes. @returns whether it had an effect. */
  press(button: Button): boolean {
    const cabinet = this.#cabinet;
    return cabinet?.guard(() => cabinet.machine.press(button)) ?? false;
  }
  /** The key switch of the panel. */
  remote(): boolean {
    return this.#remote;
  }
  /** What is wrong with its relay board, and with its screen. */
  boardFaults(): BoardFaults {
    return this.#boardFaults;
  }
  screenFaults(): ScreenFaults {
    return this.#screenFaults;
  }
  /** What the screen shows; null: it is dark. */
  view(): GlassView | null {
    return this.#cabinet?.machine.view() ?? null;
  }
  /** One listener: a press had an effect. */
  onPress(listener: () => void): void {
    this.#onPress = listener;
  }
  end(): void {
    this.#cabinet?.powerDown();
    this.#cabinet = null;
  }

  /** A person's view of the machine. */
  report(): Record<string, unknown> {
    const cabinet = this.#cabinet;
    if (cabinet === null) return { power: false };
    const { machine, line } = cabinet;
    const { state } = machine;
    return {
      power: true,
      remote: this.#remote,
      credits: state.credits,
      creditsSum: sumOf(state.credits),
      bet: machine.stake(),
      enabled: state.enabled,
      obstacle: machine.obstacle(),
      inGame: state.game !== null,
      lastWin: state.lastWin,
      starts: machine.starts,
      pressedInTurn: machine.pressedInTurn,
      lock: machine.lock,
      handPays: state.handPays,
      transfer: state.transfer,
      exceptions: [...state.priority, ...state.queue].map(({ code }) => code.toString(16).padStart(2, "0")),
      meters: meterReadings(machine),
      line: line.counts(),
      received: line.received(),
    };
  }

  /** Carries out an order of the control. @returns whether the machine did it. */
  order(order: Order): boolean {
    switch (order.do) {
      case "line": {
        const { way, ...faults } = order.faults;
        this.#toHost.faults = way === "machine" ? WHOLE_LINE : faults;
        this.#toMachine.faults = way === "host" ? WHOLE_LINE : faults;
        return true;
      }
      case "board":
        this.#boardFaults = order.faults;
        return true;
      case "screen":
        this.#screenFaults = order.faults;
        return true;
      case "key":
        this.#remote = order.remote;
        return true;
      case "busy":
        this.#busy = order.on;
        this.#cabinet?.setBusy(order.on);
        return true;
      case "firmware":
        this.#model = { ...this.#model, lacks: order.lacks };
        return this.#cut0(order.offMs);
      case "menu":
        this.#model = { ...this.#model, ...defined(order.set) };
        return this.#cut0(order.offMs);
      case "powerCut":
        return this.#powerCut(order);
      default: {
        const cabinet = this.#cabinet;
        return cabinet?.guard(() => this.#orderMachine(cabinet, order)) ?? false;
      }
    }
  }
  #cut0(offMs: number): boolean {
    if (this.#cabinet === null) return false;
    this.#offMs = offMs;
    this.#dark();
    return true;
  }
  #powerCut({ where, after, offMs }: Extract<Order, { do: "powerCut" }>): boolean {
    if (where === "now") return this.#cut0(offMs);
    this.#offMs = offMs;
    this.#cut[where] = after;
    return this.#cabinet !== null;
  }
  #orderMachine(
    { machine, setDeaf }: Cabinet,
    order: Exclude<Order, { do: "line" | "board" | "screen" | "key" | "busy" | "firmware" | "menu" | "powerCut" }>,
  ): boolean {
    switch (order.do) {
      case "press":
        return machine.press(order.button);
      case "door":
        if (order.open) machine.openDoor(order.door);
        else machine.closeDoor(order.door);
        return true;
      case "tilt":
        machine.tilt(order.words, order.exception);
        return true;
      case "clearTilt":
        machine.clearTilt();
        return true;
      case "bill":
        return machine.insertBill(order.value);
      case "ticket":
        return machine.insertTicket(order.number);
      case "handPay":
        return machine.makeHandPay(order.amount, order.level);
      case "resetHandPay":
        return machine.resetHandPay(order.toCredit);
      case "wish":
        machine.wish(order.wish);
        return true;
      case "fillQueue":
        machine.fillQueue();
        return true;
      case "clock":
        machine.jumpClock(order.jumpMs);
        return true;
      case "meterDelay":
        machine.meterDelayMs = order.ms;
        return true;
      case "loseMemory":
        this.#deaf = order.deaf;
        setDeaf(order.deaf);
        machine.loseMemory();
        return true;
    }
  }
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The settings that are named. */
const defined = <T extends object>(set: T): Defined<T> =>
  Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) as Defined<T>;
