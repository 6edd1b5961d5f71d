import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useMay } from "../../shared/me.ts";
import { keyOf } from "../../shared/problem-text.ts";
import type { TextKey } from "../../shared/texts.ts";
import { useRead } from "../../shared/ui/queries.ts";

/** Who is meant by `staff:…`, where the person who reads may see staff; of other subjects what is behind the colon. */
function useSubjectName(subject: string): string {
  const [kind = "", id = ""] = subject.split(/:(.*)/s);
  const maySee = useMay("staff.see");
  const staff = useRead("staff", {}, maySee && kind === "staff");
  const person = kind === "staff" ? staff.data?.rows.find((row) => row.id === id) : undefined;
  return person?.name ?? id;
}

/** What was requested, as a sentence about the world: "Change the roles of Can Demir". */
export function useSentence({ kind, subject }: Pick<Approval, "kind" | "subject">): string {
  const { t } = useText();
  const name = useSubjectName(subject);
  return t(`approvals.kind_${keyOf(kind)}` as TextKey, { name });
}
