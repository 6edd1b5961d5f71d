import type { Approval } from "@longarm/contract/staff-people";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useMay } from "../../shared/me.ts";
import { roleText } from "../../shared/problem-text.ts";
import { useRead } from "../../shared/ui/queries.ts";
import { evidenceOf } from "./content.ts";

/** Names of what an approval is about, as far as the person who reads may see them; else its id. */
export function useNames() {
  const speech = useText();
  const staff = useRead("staff", {}, useMay("staff.see"));
  const floor = useRead("floor", {}, useMay("floor.see"));

  const player = ({ evidence, subject }: Approval): string => evidenceOf(evidence, "player") ?? idIn(subject);
  const machine = ({ evidence, subject }: Approval, id = idIn(subject)): string =>
    evidenceOf(evidence, "machine") ?? floor.data?.rows.find((row) => row.id === id)?.name ?? id;

  return {
    player,
    machine,
    /** Whatever the approval is about. */
    subject(approval: Approval): string {
      const { subject } = approval;
      const id = idIn(subject);
      switch (subject.slice(0, -id.length - 1)) {
        case "staff":
          return staff.data?.rows.find((row) => row.id === id)?.name ?? id;
        case "role":
          return roleText(speech, id);
        case "player":
          return player(approval);
        case "campaign":
          return evidenceOf(approval.evidence, "campaign") ?? id;
        case "dispute":
          return evidenceOf(approval.evidence, "question") ?? id;
        case "machine":
          return machine(approval);
        default:
          return id;
      }
    },
  };
}

/** What follows the kind: `player:p_1`. */
const idIn = (subject: string): string => subject.slice(subject.indexOf(":") + 1);
