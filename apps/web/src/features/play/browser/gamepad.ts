/** What a gamepad does here. */
export type GamepadActions = { readonly spin: () => void; readonly less: () => void; readonly more: () => void };

/** The browser APIs used: gamepads send no events for their buttons, so they are polled. */
export type GamepadBrowser = {
  readonly getGamepads: () => readonly (Pick<Gamepad, "buttons"> | null)[];
  readonly frames: Pick<Window, "requestAnimationFrame" | "cancelAnimationFrame">;
  /** Sends `gamepadconnected` and `gamepaddisconnected`. */
  readonly events: Pick<EventTarget, "addEventListener" | "removeEventListener">;
};

/** Button indexes in the standard mapping of the Gamepad API. */
const A = 0;
const LEFT_BUMPER = 4;
const RIGHT_BUMPER = 5;

/** A spins, the bumpers change the bet, once for each press. Polls once a frame while a gamepad is connected. Returns a function that ends it. */
export function watchGamepads({ getGamepads, frames, events }: GamepadBrowser, actions: GamepadActions): () => void {
  const keys: readonly [number, () => void][] = [
    [A, actions.spin],
    [LEFT_BUMPER, actions.less],
    [RIGHT_BUMPER, actions.more],
  ];
  // A button held when the polling begins was not pressed for us.
  let held: ReadonlySet<number> | undefined;
  let frame: number | undefined;
  const look = (): void => {
    frame = undefined;
    const pads = getGamepads().filter((pad) => pad !== null);
    if (pads.length === 0) {
      held = undefined;
      return;
    }
    const down = new Set(keys.map(([at]) => at).filter((at) => pads.some(({ buttons }) => buttons[at]?.pressed)));
    const before = held ?? down;
    held = down;
    frame = frames.requestAnimationFrame(look);
    for (const [at, act] of keys) if (down.has(at) && !before.has(at)) act();
  };
  const begin = (): void => {
    if (frame === undefined) look();
  };
  events.addEventListener("gamepadconnected", begin);
  begin();
  return () => {
    events.removeEventListener("gamepadconnected", begin);
    if (frame !== undefined) frames.cancelAnimationFrame(frame);
    frame = undefined;
  };
}

/** The gamepads of this browser; none where it does not support or permit them. */
export function browserGamepads(): GamepadBrowser {
  return {
    getGamepads: () => {
      try {
        return navigator.getGamepads?.() ?? [];
      } catch {
        return [];
      }
    },
    frames: window,
    events: window,
  };
}
