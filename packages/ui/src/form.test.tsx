import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Field } from "./field.tsx";
import type { FieldErrors } from "./form.tsx";
import { Form, useFields } from "./form.tsx";
import { Key } from "./key.tsx";

afterEach(cleanup);

type Names = "old" | "next";
type Send = (fields: Readonly<Record<Names, string>>) => Promise<FieldErrors<Names> | undefined>;

function Change({ send, other }: { readonly send: Send; readonly other: Send }) {
  const fields = useFields<Names>({ old: "", next: "" }, send);
  const entry = (name: Names) => {
    const { onText, ...field } = fields.field(name);
    return { label: name, ...field, onChange: ({ target }: { target: { value: string } }) => onText(target.value) };
  };
  return (
    <Form of={fields} send="Send" also={<Key onClick={() => fields.sendBy(other)}>Another way</Key>}>
      <Field {...entry("old")} />
      <Field {...entry("next")} />
    </Form>
  );
}

const field = (name: Names) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: Names, value: string) => fireEvent.change(field(name), { target: { value } });
function press(name: string): void {
  const key = screen.getByRole("button", { name });
  key.focus();
  fireEvent.click(key);
}

test("another way sends what is typed, also where a field that it does without is empty, and empties the form", async () => {
  const [send, other] = [vi.fn<Send>(), vi.fn<Send>(async () => undefined)];
  render(<Change {...{ send, other }} />);
  type("next", "sunfish");
  expect(screen.getByRole("button", { name: "Send" })).toHaveProperty("disabled", true);
  press("Another way");
  expect(other).toHaveBeenCalledWith({ old: "", next: "sunfish" });
  await vi.waitFor(() => expect(field("next").value).toBe(""));
  expect(send).not.toHaveBeenCalled();
});

test("what another way is refused for comes into view and leaves the focus at its button, unless a field is wrong", async () => {
  const scrolled = vi.fn();
  // jsdom has no layout, so nothing to scroll.
  Element.prototype.scrollIntoView = scrolled;
  const other = vi.fn<Send>(async () => ({ form: "Nothing happened." }));
  render(<Change send={async () => ({ form: "Refused." })} other={other} />);
  type("next", "sunfish");
  press("Another way");
  expect((await screen.findByRole("alert")).textContent).toContain("Nothing happened.");
  expect(document.activeElement?.textContent).toBe("Another way");
  expect(scrolled).toHaveBeenCalledTimes(1);
  other.mockResolvedValue({ next: "Too short." });
  press("Another way");
  await screen.findByText("Too short.");
  expect(document.activeElement).toBe(field("next"));
  type("old", "plaice");
  press("Send");
  await screen.findByText("Refused.");
  expect(document.activeElement).toBe(field("old"));
});
