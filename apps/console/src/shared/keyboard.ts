import type { Stop, Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";

/** An act of what is on the screen. `keys`: pressed one after the other, such as `g f`; without any it is in the list alone. */
export type KeyAct = { readonly keys: string; readonly label: string; readonly run: () => void };

/** So long after the first key of a sequence the next one still belongs to it, ms. */
const NEXT_KEY_MS = 1_200;

/** The keys of the console: what pages and shell have to offer now, each with its words. */
export type Keyboard = {
  readonly acts: Live<readonly KeyAct[]>;
  /** Whether single letters do something: a person who speaks to the computer may switch them off (WCAG 2.1.4). */
  readonly letters: Live<boolean>;
  setLetters(on: boolean): void;
  /** Offers acts; answers how to take them back. The newest come first where two have the same keys. */
  offer(acts: readonly KeyAct[]): Stop;
  press(event: KeyboardEvent): void;
};

export function createKeyboard(deps: {
  readonly timers: Timers;
  readonly kept: { read(): boolean; write(on: boolean): void };
}): Keyboard {
  const groups = new Set<readonly KeyAct[]>();
  const acts = createStore<readonly KeyAct[]>(() => []);
  const letters = createStore<boolean>(() => deps.kept.read());
  const publish = (): void => acts.setState([...groups].reverse().flat(), true);
  let before = "";
  let forget: Stop = () => {};

  return {
    acts,
    letters,
    setLetters(on) {
      letters.setState(on, true);
      deps.kept.write(on);
    },
    offer(offered) {
      groups.add(offered);
      publish();
      return () => {
        groups.delete(offered);
        publish();
      };
    },
    press(event) {
      if (!letters.getState() || event.ctrlKey || event.altKey || event.metaKey || isTaken(event.target)) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const pressed = [before, key].filter(Boolean).join(" ");
      const found = acts.getState().find(({ keys }) => keys === pressed);
      forget();
      before = "";
      if (found !== undefined) {
        event.preventDefault();
        found.run();
      } else if (acts.getState().some(({ keys }) => keys.startsWith(`${pressed} `))) {
        before = pressed;
        forget = deps.timers.after(NEXT_KEY_MS, () => {
          before = "";
        });
      }
    },
  };
}

/** Whether keys mean something else there: letters in a field, anything in a sheet. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=radio],[type=checkbox]), textarea, select, [contenteditable], [role=dialog]") !==
      null
  );
}
