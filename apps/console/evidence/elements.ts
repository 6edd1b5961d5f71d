export type Child = Node | string;

/** An element with these attributes. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  of: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(of)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** What is written in a file: it has the direction of its own words, and leaves that of the words around it. */
export const isolated = (...written: readonly Child[]): HTMLElement => make("bdi", {}, ...written);

/** A date with its time, which are never broken but between the two. */
export function instant(at: string): HTMLElement {
  const words = at.split("T").flatMap((one) => [make("span", { class: "whole" }, one), " "]);
  return isolated(...words.slice(0, -1));
}

/** A sentence with its figures in the places of their names in braces. */
export const filled = (sentence: string, figures: Readonly<Record<string, Child>>): Child[] =>
  sentence
    .split(/\{(\w+)\}/)
    .map((part, n) => (n % 2 === 0 ? part : isolated(figures[part] ?? "")))
    .filter((part) => part !== "");

/** A part of the page under a heading. */
export const section = (title: string, ...children: readonly Child[]): HTMLElement =>
  make("section", {}, make("h2", {}, title), ...children);

/** The time of day, UTC. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
