import type { IconName } from "../../../../shared/ui/icon-paths.ts";
import { Key } from "../../../../shared/ui/key.tsx";
import css from "../stage.module.css";

/** Prompt shown while the browser's autoplay policy blocks sound or picture; any gesture unlocks it. */
export function Locked({ icon, middle = false, children }: { icon: IconName; middle?: boolean; children: string }) {
  return (
    <div className={css["locked"]} data-middle={middle} role="status">
      <Key icon={icon}>{children}</Key>
    </div>
  );
}
