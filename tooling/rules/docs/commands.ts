/** A command of the staff's command line, as the page lists it. */
type Listed = {
  readonly words: string;
  readonly about: string;
  readonly places?: readonly { readonly name: string; readonly optional?: true }[];
};

const BEGIN = "<!-- commands -->";
const END = "<!-- /commands -->";

/** The table of all commands, made from what they say of themselves. */
export function commandTable(commands: readonly Listed[]): string {
  const rows = commands.map(({ words, about, places = [] }) => {
    const behind = places.map(({ name, optional }) => (optional ? ` [<${name}>]` : ` <${name}>`)).join("");
    return `| \`${words}${behind}\` | ${about.replaceAll("|", "\\|")} |`;
  });
  return ["| command | what it does |", "| --- | --- |", ...rows].join("\n");
}

/** The page with this table between its two marks. */
export function withTable(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the page has no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`;
}
