import type { Permission, RoleLimits } from "@longarm/contract/staff-rights";
import { PERMISSION_NAMES } from "@longarm/contract/staff-rights";
import { Check } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { decimalText } from "@longarm/ui/money/format.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMe } from "../../shared/me.ts";
import { rightText, roleText } from "../../shared/problem-text.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { CheckFirst } from "../../shared/ui/check-first.tsx";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { ROLE_LIMITS } from "./role-limits.ts";
import css from "./staff.module.css";

type Role = Pick<AnswerOf<"roles">["rows"][number], "role" | "permissions" | "limits">;
type LimitKind = keyof RoleLimits;
const LIMIT_KINDS = Object.values(ROLE_LIMITS) as readonly LimitKind[];
/** Rights are given out by administrators alone: the platform refuses any other table. */
const FIXED: Permission = "staff.manage";

/** What a role may do and move alone. Another administrator signs before anything changes. */
export function RoleSheet({ role, close }: { readonly role: Role | undefined; readonly close: () => void }) {
  const speech = useText();
  return (
    <FormSheet
      open={role !== undefined}
      title={role === undefined ? "" : speech.t("staff.changeRoleOf", { role: roleText(speech, role.role) })}
      onClose={close}
    >
      {role !== undefined && <RoleForm key={role.role} role={role} close={close} />}
    </FormSheet>
  );
}

const textOf = (minor: number | undefined): string => (minor === undefined ? "" : decimalText(minor));

/** What is chosen, against what the role may do now. */
function useWantedRole(role: Role) {
  const [permissions, setPermissions] = useState<readonly Permission[]>(role.permissions);
  const [typed, setTyped] = useState<Record<LimitKind, string>>({
    handPay: textOf(role.limits.handPay),
    wallet: textOf(role.limits.wallet),
    bonus: textOf(role.limits.bonus),
  });
  const written = LIMIT_KINDS.filter((kind) => typed[kind].trim() !== "");
  const limits: Role["limits"] = Object.fromEntries(written.map((kind) => [kind, amountOf(typed[kind])]));
  const gains = permissions.filter((one) => !role.permissions.includes(one));
  const loses = role.permissions.filter((one) => !permissions.includes(one));
  const isOther = LIMIT_KINDS.some((kind) => limits[kind] !== role.limits[kind]);
  return {
    permissions,
    toggle: (one: Permission) =>
      setPermissions(permissions.includes(one) ? permissions.filter((held) => held !== one) : [...permissions, one]),
    typed,
    type: (kind: LimitKind, text: string) => setTyped({ ...typed, [kind]: text }),
    limits,
    gains,
    loses,
    isWhole: written.every((kind) => Boolean(amountOf(typed[kind]))),
    isSame: gains.length === 0 && loses.length === 0 && !isOther,
  };
}

function RoleForm({ role, close }: { readonly role: Role; readonly close: () => void }) {
  const speech = useText();
  const { t } = speech;
  const { venue } = useMe();
  const { busy, run } = useAct();
  const wanted = useWantedRole(role);
  const [reason, setReason] = useState("");
  const name = roleText(speech, role.role);
  const params = { role: role.role };
  const fields = { permissions: [...wanted.permissions], limits: wanted.limits, reason: reasonOf(reason) };
  const inWords = (list: readonly Permission[]) => list.map((one) => rightText(speech, one)).join(", ") || "–";
  const isWhole = wanted.isWhole && !wanted.isSame && fields.reason !== "";
  async function send(): Promise<void> {
    const answer = await run("changeRole", {
      params,
      fields,
      summary: {
        title: t("staff.changeRoleOf", { role: name }),
        lines: [
          [t("staff.gains"), inWords(wanted.gains)],
          [t("staff.loses"), inWords(wanted.loses)],
          [t("app.reason"), fields.reason],
        ],
      },
      reads: ["roles", "staff", "approvals"],
      said: t("staff.roleChanged", { role: name }),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("staff.changeRoleAbout")}</p>
      <RightChoice chosen={wanted.permissions} toggle={wanted.toggle} />
      {LIMIT_KINDS.map((kind) => (
        <AmountField
          key={kind}
          label={t(`staff.limit_${kind}`)}
          value={wanted.typed[kind]}
          onText={(text) => wanted.type(kind, text)}
        />
      ))}
      <ReasonField value={reason} onText={setReason} />
      {venue.secondPerson && <Note>{t("staff.secondAdministrator")}</Note>}
      <CheckFirst name="changeRole" params={params} fields={fields} disabled={!isWhole} />
      <ActKeys
        send={t(venue.secondPerson ? "staff.request" : "staff.changeRole")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

function RightChoice(props: { readonly chosen: readonly Permission[]; readonly toggle: (one: Permission) => void }) {
  const speech = useText();
  return (
    <fieldset className={css["choice"]}>
      <legend>{speech.t("staff.mayDo")}</legend>
      {PERMISSION_NAMES.map((one) => (
        <Check
          key={one}
          label={rightText(speech, one)}
          checked={props.chosen.includes(one)}
          disabled={one === FIXED}
          onChange={() => props.toggle(one)}
        />
      ))}
    </fieldset>
  );
}
