import { overridden } from "../machine/overridden.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm, EgmMeters } from "../ports/egm.ts";
import type { KeySwitch, PressPort } from "../ports/press.ts";
import type { KeySwitchConfig } from "./config.ts";

/** Debounces the readings of one key switch. */
export interface DebouncedKey {
  /** The input was read: closed or open. */
  read(isClosed: boolean): void;
  /** The input could not be read. */
  unread(): void;
  /** Decides presses: the last reading, not debounced, so that one reading of local stops presses. */
  lastRead(): KeySwitch;
  /** Decides the seat. */
  position(): KeySwitch;
  /** Calls back when `position()` would return otherwise. One listener at a time. */
  onChange(changed: () => void): () => void;
}

/**
 * A turn to local or remote counts after `debounceMs` of equal readings. A switch that cannot be read is `unknown` at once, and counts as local
 * after `unknownMs`: a machine whose board is dead cannot be played remotely, and a person may be playing it.
 */
export function createKeySwitch(config: KeySwitchConfig, clock: Clock): DebouncedKey {
  let last: KeySwitch = "unknown";
  let since = clock.now();
  let position: KeySwitch = "unknown";
  let listener: (() => void) | undefined;

  function settle(now: KeySwitch): void {
    if (now !== last) {
      last = now;
      since = clock.now();
    }
    const lasted = clock.now() - since;
    if (now === "unknown") move(lasted >= config.unknownMs ? "local" : "unknown");
    else if (lasted >= config.debounceMs) move(now);
  }

  function move(now: KeySwitch): void {
    // A switch that was local before it became unreadable is still local: the seat does not open by losing the board.
    if (now === position || (now === "unknown" && position === "local")) return;
    position = now;
    listener?.();
  }

  return {
    read: (isClosed) => settle(isClosed === (config.remoteWhen === "closed") ? "remote" : "local"),
    unread: () => settle("unknown"),
    lastRead: () => last,
    position: () => position,
    onChange: (changed) => {
      listener = changed;
      return () => {
        if (listener === changed) listener = undefined;
      };
    },
  };
}

/**
 * The machine as its driver gives it, and locked as `local` while its key switch is: the platform then ends the play session. Every other lockup
 * is graver, because no person can play then.
 */
export function withKeySwitch(egm: Egm, key: Pick<PressPort, "keySwitch" | "onKeySwitch">): Egm {
  const locked = (meters: EgmMeters): EgmMeters =>
    meters.lockup === undefined && key.keySwitch() === "local" ? { ...meters, lockup: "local" } : meters;
  return overridden(egm, {
    meters: async () => locked(await egm.meters()),
    nextEvents: async (limit) => {
      const { events, meters } = await egm.nextEvents(limit);
      return { events, meters: locked(meters) };
    },
    onActivity: (ring) => {
      const stops = [egm.onActivity(ring), key.onKeySwitch(ring)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  });
}
