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

/** A part of the page under a heading. */
export const section = (title: string, ...children: readonly Child[]): HTMLElement =>
  make("section", {}, make("h2", {}, title), ...children);

/** The time of day, UTC. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
