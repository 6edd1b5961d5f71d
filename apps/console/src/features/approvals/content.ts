import type { Approval } from "@longarm/contract/staff-people";

/** The content of an approval is data of its kind: each field is read for what it is, and one that is missing is said to be. */
type Content = Approval["content"];

export function textIn(content: Content, name: string): string | undefined {
  const value = content[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** An instant, as the platform writes one. */
export function instantIn(content: Content, name: string): string | undefined {
  const text = textIn(content, name);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
}

export function numberIn(content: Content, name: string): number | undefined {
  const value = content[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

export function textsIn(content: Content, name: string): readonly string[] | undefined {
  const value = content[name];
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

/** The words of a line of the evidence. */
export function evidenceOf(evidence: Approval["evidence"], label: string): string | undefined {
  return evidence.find((line) => line.label === label)?.value ?? undefined;
}

export function amountIn(evidence: Approval["evidence"], label: string): number | undefined {
  return evidence.find((line) => line.label === label)?.amount;
}
