import { defaultSettings } from "@longarm/contract/settings";
import { AppearanceChoice } from "@longarm/contract/template/appearance";
import { describe, expect, test } from "vitest";
import { createAppearance, LAYOUT_DEFAULTS } from "./appearance.ts";
import { readSaved } from "./saved.ts";

/** A page without bars (decision D-11). */
const NO_BARS = {
  navbar: { display: false },
  toolbar: { display: false },
  footer: { display: false },
  leftSidePanel: { display: false },
  rightSidePanel: { display: false },
};

const plain = () => createAppearance(defaultSettings());

describe("the appearance", () => {
  test("begins as the operator set it; nothing is chosen", () => {
    const { current, chosen } = createAppearance({ layout: "layout2", theme: { main: "pine" } });
    expect(chosen.getState()).toEqual({});
    expect(current.getState()).toEqual({
      layout: { style: "layout2", config: LAYOUT_DEFAULTS.layout2 },
      ...{ customScrollbars: true, animations: true, direction: undefined },
      theme: { main: "pine", navbar: "night", toolbar: "night", footer: "night" },
    });
  });

  test("a choice changes what it names and keeps what was chosen before", () => {
    const { change, current, chosen } = plain();
    change({ theme: { navbar: "velvet" }, direction: "rtl" });
    change({ theme: { footer: "rose" }, animations: false });
    expect(current.getState().theme).toEqual({ main: "night", navbar: "velvet", toolbar: "night", footer: "rose" });
    expect(chosen.getState()).toEqual({
      ...{ theme: { navbar: "velvet", footer: "rose" }, direction: "rtl", animations: false },
    });
    change({ direction: undefined });
    expect(current.getState().direction).toBeUndefined();
    expect(JSON.parse(JSON.stringify(chosen.getState()))).not.toHaveProperty("direction");
  });

  test("options of a layout add up, are kept with their style, and another style begins with its own defaults", () => {
    const { change, current, chosen } = plain();
    change({ layout: { config: { footer: { display: false } } } });
    change({ layout: { config: { footer: { style: "fixed" }, mode: "boxed" } } });
    expect(chosen.getState()).toEqual({
      layout: { style: "layout3", config: { footer: { display: false, style: "fixed" }, mode: "boxed" } },
    });
    change({ layout: { style: "layout3" } });
    expect(current.getState().layout.config.mode).toBe("boxed");
    change({ layout: { style: "layout1" } });
    expect(current.getState().layout).toEqual({ style: "layout1", config: LAYOUT_DEFAULTS.layout1 });
    change({ layout: { style: "layout2", config: { mode: "container" } } });
    expect(current.getState().layout.config).toEqual({ ...LAYOUT_DEFAULTS.layout2, mode: "container" });
  });

  test("what a route asks for lies over the choices, is never one, and falls away on the next route", () => {
    const { change, forRoute, current, chosen } = plain();
    change({ layout: { config: { toolbar: { position: "below" } } } });
    const before = current.getState();
    forRoute(NO_BARS);
    const { navbar, toolbar, footer } = current.getState().layout.config;
    expect([navbar.display, toolbar, footer.display]).toEqual([
      ...[false, { display: false, style: "fixed", position: "below" }, false],
    ]);
    expect(chosen.getState().layout?.config).toEqual({ toolbar: { position: "below" } });
    forRoute(undefined);
    expect(current.getState()).toEqual(before);
  });

  test("what is saved with an account replaces the choices; without it the operator's hold again", () => {
    const { change, take, current, chosen } = plain();
    change({ theme: { main: "pine" } });
    take({ theme: { navbar: "rose" } });
    expect(chosen.getState()).toEqual({ theme: { navbar: "rose" } });
    take(undefined);
    expect([chosen.getState(), current.getState()]).toEqual([{}, plain().current.getState()]);
  });

  test("who listens hears of a change once, and nothing of a route that asks for what the last one asked for", () => {
    const { change, forRoute, current } = plain();
    let heard = 0;
    current.subscribe(() => {
      heard += 1;
    });
    change({ animations: false });
    forRoute(undefined);
    forRoute(NO_BARS);
    forRoute(NO_BARS);
    expect(heard).toBe(2);
  });
});

describe("what somebody's platform kept", () => {
  test("is taken as it was chosen", () => {
    const chosen: AppearanceChoice = {
      layout: { style: "layout1", config: { mode: "boxed", navbar: { folded: true, position: "right" } } },
      ...{ customScrollbars: false, animations: false, direction: "rtl" },
      theme: { main: "pine", navbar: "velvet", toolbar: "rose", footer: "night" },
    };
    expect(readSaved(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "x"],
    ["a list", []],
    ["parts of wrong types", { layout: 7, theme: "pine", direction: "up", animations: 1, customScrollbars: null }],
    ["an unknown layout", { layout: { style: "layout9" } }],
    ["a palette that is no id", { theme: { main: 'x" onload="' } }],
  ])("%s is no choice", (_, kept) => {
    expect(readSaved(kept)).toEqual({});
  });

  test("costs only the part that is wrong, and changes no prototype", () => {
    const kept = JSON.parse(
      '{"animations":false,"theme":{"main":3},"__proto__":{"direction":"rtl"},"layout":{"__proto__":{"style":"layout1"}}}',
    );
    const appearance = plain();
    appearance.take(readSaved(kept));
    expect(appearance.current.getState()).toEqual({ ...plain().current.getState(), animations: false });
    expect(({} as Record<string, unknown>)["style"]).toBeUndefined();
  });

  test("stays within what an account keeps, whatever is chosen", () => {
    const long = "a".repeat(40);
    const most = {
      layout: { style: "layout1", config: { ...LAYOUT_DEFAULTS.layout1 } },
      ...{ customScrollbars: false, animations: false, direction: "rtl" },
      theme: { main: long, navbar: long, toolbar: long, footer: long },
    };
    expect(AppearanceChoice.safeParse(most).success).toBe(true);
    expect(JSON.stringify(most).length).toBeLessThan(4_096);
  });
});
