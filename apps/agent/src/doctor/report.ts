import type { Finding, FindingState } from "./finding.ts";

const MARK: Readonly<Record<FindingState, string>> = { good: "ok   ", note: "note ", bad: "WRONG" };

/** Devices and servers name themselves: what would steer a terminal or turn its writing around is not written to one. */
const printable = (text: string): string => text.toWellFormed().replaceAll(/\p{C}/gu, "\uFFFD");

/** The findings for people, part by part. */
export function inWords(findings: readonly Finding[]): string {
  const lines: string[] = [];
  for (const part of new Set(findings.map((finding) => finding.part))) {
    lines.push(part);
    for (const { state, says, change } of findings.filter((finding) => finding.part === part)) {
      lines.push(`  ${MARK[state]}  ${printable(says)}`);
      if (change !== undefined) lines.push(`         Do: ${printable(change)}`);
    }
  }
  const wrong = findings.filter(({ state }) => state === "bad").length;
  lines.push("", wrong === 0 ? "Nothing is wrong." : `${wrong === 1 ? "One thing is" : `${wrong} things are`} wrong.`);
  return `${lines.join("\n")}\n`;
}

/** The same for programs. */
export function inJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ good: !isWrong(findings), findings }, undefined, 2)}\n`;
}

export const isWrong = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === "bad");
