/** Where a page's relative links lead, without their `#…`; links to other hosts and within the page are left out. */
export function relativeLinks(page: string): string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => (match[1] ?? "").replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z][a-z0-9+.-]*:/i.test(target));
}
