import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Segment } from "./segment.tsx";

afterEach(cleanup);

const OPTIONS = [
  { value: "tr", label: "TR" },
  { value: "en", label: "EN" },
] as const;

function segment(onChange: (value: "tr" | "en") => unknown) {
  const drawn = (value: "tr" | "en") => (
    <Segment label="Language" options={OPTIONS} value={value} onChange={onChange} />
  );
  const { rerender } = render(drawn("tr"));
  const pressed = () => screen.getAllByRole<HTMLInputElement>("radio").find(({ checked }) => checked)?.value;
  return {
    pressed,
    press: (name: string) => fireEvent.click(screen.getByText(name)),
    draw: (value: "tr" | "en") => rerender(drawn(value)),
  };
}

test("a choice that takes its time is the pressed one at once, and stays it once it is made", async () => {
  const done = Promise.withResolvers<void>();
  const { pressed, press, draw } = segment(() => done.promise);
  press("EN");
  expect(pressed()).toBe("en");
  draw("en");
  await act(async () => done.resolve());
  expect(pressed()).toBe("en");
});

test("a choice that fails leaves the old one pressed; of two under way the newer is", async () => {
  const pending: PromiseWithResolvers<void>[] = [];
  const { pressed, press } = segment(() => pending[pending.push(Promise.withResolvers<void>()) - 1]?.promise);
  press("EN");
  press("TR");
  expect(pressed()).toBe("tr");
  press("EN");
  await act(async () => pending[1]?.resolve());
  expect(pressed()).toBe("en");
  await act(async () => pending[2]?.reject(new Error("offline")));
  expect(pressed()).toBe("tr");
});

test("a choice that is made at once is what its owner says", () => {
  const { pressed, press } = segment(() => undefined);
  press("EN");
  expect(pressed()).toBe("tr");
});
