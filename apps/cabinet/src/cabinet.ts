import { Machine } from "./machine/machine.ts";
import type { Memory } from "./machine/memory.ts";
import { PowerCut } from "./machine/memory.ts";
import type { Model } from "./machine/options.ts";
import { Aft } from "./sas/aft.ts";
import type { Exception } from "./sas/exceptions.ts";
import { drop, head } from "./sas/exceptions.ts";
import type { Clock, Polled } from "./sas/link-layer.ts";
import { LinkLayer } from "./sas/link-layer.ts";
import type { Deferred } from "./sas/long-polls.ts";
import { createLongPolls, setClock } from "./sas/long-polls.ts";
import type { Character } from "./sas/nine-bit.ts";

export type CabinetOptions = {
  readonly model: Model;
  readonly clock: Clock;
  readonly memory: Memory;
  /** Characters that the machine sends, whole answers at a time. */
  send(characters: readonly Character[]): void;
  readonly gapMsMax?: number;
  readonly wakeup?: "required" | "ignored";
  /** A write of the memory was cut: the machine is dark, and only a new one on the same memory continues. */
  onPowerCut?(): void;
};

/** A slot machine as the wire sees it, from power up to power down. */
export type Cabinet = {
  readonly machine: Machine;
  readonly line: Pick<LinkLayer, "receive" | "gap" | "receiveError" | "counts" | "received">;
  /** Answers `addr 00` to everything while it is true. */
  setBusy(busy: boolean): void;
  /** After a loss of the memory a machine may have no address any more. */
  setDeaf(deaf: boolean): void;
  /** Runs what may write the memory; a power cut in it takes the power away instead of throwing. */
  guard<T>(run: () => T): T | undefined;
  /** The power is gone; nothing more is written or sent. */
  powerDown(): void;
};

/** Powers a machine up on its memory. */
export function powerUp(options: CabinetOptions): Cabinet {
  const { model, clock, memory, send, gapMsMax = 5, wakeup = "required", onPowerCut } = options;
  const guard = <T>(run: () => T): T | undefined => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      powerDown();
      onPowerCut?.();
      return undefined;
    }
  };
  const guarded: Clock = { now: clock.now, after: (delayMs, run) => clock.after(delayMs, () => guard(run)) };
  const machine = new Machine({ model, clock: guarded, memory });
  const aft = new Aft(machine);
  const faults = { busy: false, deaf: false };
  const link = new LinkLayer({
    clock: guarded,
    send: (characters) => {
      if (!machine.dead) send(characters);
    },
    gapMsMax,
    wakeup,
    machine: polledOf(machine, aft, faults),
  });
  const powerDown = (): void => {
    machine.powerDown();
    link.stop();
  };
  guard(() => {
    aft.powerUp();
    machine.powerUp();
  });
  return {
    machine,
    line: {
      receive: (character) => void (machine.dead || guard(() => link.receive(character))),
      gap: (ms) => link.gap(ms),
      receiveError: () => link.receiveError(),
      counts: () => link.counts(),
      received: () => link.received(),
    },
    setBusy(value) {
      faults.busy = value;
    },
    setDeaf(value) {
      faults.deaf = value;
    },
    guard,
    powerDown,
  };
}

/** What the link layer sees of the machine. `faults`: what a control makes it pretend. */
function polledOf(machine: Machine, aft: Aft, faults: { readonly busy: boolean; readonly deaf: boolean }): Polled {
  let deferred: Deferred | null = null;
  const polls = createLongPolls({
    machine,
    aft,
    defer: (next) => {
      deferred = next;
    },
  });
  return {
    address: () => (faults.deaf ? 0 : machine.model.address),
    shape: (command) => polls.get(command)?.shape,
    longPoll: (command, data) => polls.get(command)?.answer(data) ?? { is: "silence" },
    broadcast: (command, data) => {
      if (command === 0x7f) setClock(machine, data);
    },
    nextException: (): Exception | null => head(machine.state),
    nextDeferred: () => {
      const ready = deferred;
      if (ready === null || machine.now() < ready.readyAt) return null;
      return {
        message: ready.message,
        acknowledged: () => {
          if (deferred === ready) deferred = null;
        },
      };
    },
    dropException: (exception) => drop(machine.state, exception),
    waitsForPlayer: () => machine.waitsForPlayer(),
    realTimeEvents: () => machine.realTimeEvents,
    busy: () => faults.busy,
    persist: () => machine.save(),
  };
}
