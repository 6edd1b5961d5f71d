import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Avatar } from "./avatar.tsx";
import { createTexts } from "./i18n/texts.ts";
import { TextsContext } from "./i18n/use-text.ts";

afterEach(cleanup);

test("a face is the picture, and the first letters of the name where there is none or it cannot be had", async () => {
  const texts = await createTexts("tr", async () => ({}), []);
  const face = (photo?: string) => (
    <TextsContext value={texts}>
      <Avatar name="irem kaya" photo={photo} />
    </TextsContext>
  );
  const { container, rerender } = render(face());
  expect(container.textContent).toBe("İK");
  rerender(face("/faces/1.webp"));
  expect(container.querySelector("img")?.getAttribute("src")).toBe("/faces/1.webp");
  expect(container.textContent).toBe("");
  fireEvent.error(container.querySelector("img") as HTMLImageElement);
  expect(container.textContent).toBe("İK");
  rerender(face("/faces/2.webp"));
  expect(container.querySelector("img")?.getAttribute("src")).toBe("/faces/2.webp");
});
