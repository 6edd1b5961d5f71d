import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyOf } from "../../shared/problem-text.ts";
import { useNames } from "./names.ts";

/** What was requested, as a sentence about the world: "Change the roles of Can Demir". */
export function useSentence(approval: Approval): string {
  const { t, find } = useText();
  const { subject } = useNames();
  const kind = approval.subject.startsWith("role:") ? "role.change" : approval.kind;
  const name = subject(approval);
  return find(`approvals.kind_${keyOf(kind)}`, { name }) ?? t("approvals.one");
}
