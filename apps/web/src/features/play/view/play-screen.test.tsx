import { defaultSettings } from "@longarm/contract/settings";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { TextsContext } from "@longarm/ui/i18n/use-text.ts";
import { act, cleanup, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { StrictMode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import { createNotificationEvents } from "../../../shared/sockets/notification-events.ts";
import { createStorage } from "../../../shared/storage/storage.ts";
import { FIRST_STATE } from "../state/play-state.ts";
import type { Scope } from "../state/scope.ts";
import { PlayScreen } from "./play-screen.tsx";
import { WatchScreen } from "./watch-screen.tsx";

/** The play sessions that were opened and not ended, in their order. */
const live: object[] = [];
let opened = 0;

vi.mock("../browser/open-session.ts", () => ({
  openPlaySession: (scope: Scope) => {
    const session = { state: createStore(() => FIRST_STATE) };
    opened += 1;
    live.push(session);
    scope.onEnd(() => live.splice(live.indexOf(session), 1));
    return session;
  },
}));
vi.mock("./table.tsx", () => ({ Table: () => <p>the table</p> }));
vi.mock("./stage.tsx", () => ({ Stage: () => <p>the table</p> }));
vi.mock("./hud.tsx", () => ({ Hud: () => null }));
vi.mock("./notices.tsx", () => ({ StateLine: () => null }));
vi.mock("./tools.tsx", () => ({ FullScreen: () => null, Volume: () => null }));

beforeEach(() => {
  opened = 0;
});
afterEach(cleanup);

/** A new object for the same player and machine, as after React forgot a memo. */
const deps = (): PlayDeps => {
  const storage = createStorage(() => {
    throw new Error("forbidden");
  });
  const events = createNotificationEvents();
  const timers = { after: () => () => {} };
  const given: Partial<PlayDeps> = {
    ...{ settings: defaultSettings(), storage, events, timers, clock: { now: () => 0 } },
    ...{ waiting: createStore(() => undefined), calledAway: createStore(() => undefined) },
    questions: () => null,
  };
  return { ...given, leave: () => {} } as PlayDeps;
};
const screens: Record<string, () => ReactElement> = {
  "the game": () => <PlayScreen machineId="nar-07" machineName="Nar 07" deps={deps()} />,
  "a machine that is watched": () => (
    <WatchScreen machineId="nar-07" machineName="Nar 07" deps={deps()} onSit={() => {}} />
  ),
};

// maintainer 6.6: the seat lived as long as a memo of the route, which React may forget.
test.each(Object.entries(screens))(
  "%s keeps its one play session when everything it is given is made anew",
  async (_name, screen) => {
    const texts = await createTexts("en", async () => ({}), ["app"]);
    const drawn = () => <TextsContext value={texts}>{screen()}</TextsContext>;
    const { rerender, unmount } = render(drawn());
    const [first] = live;
    for (let times = 0; times < 3; times += 1) await act(async () => rerender(drawn()));
    expect(opened).toBe(1);
    expect(live).toEqual([first]);
    unmount();
    expect(live).toEqual([]);
  },
);

test.each(Object.entries(screens))(
  "%s has one live play session where React runs every effect twice",
  async (_name, screen) => {
    const texts = await createTexts("en", async () => ({}), ["app"]);
    const { unmount, getByText } = render(
      <StrictMode>
        <TextsContext value={texts}>{screen()}</TextsContext>
      </StrictMode>,
    );
    expect(getByText("the table")).toBeTruthy();
    expect([opened, live.length]).toEqual([2, 1]);
    unmount();
    expect(live).toEqual([]);
  },
);
