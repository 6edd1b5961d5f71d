import { useEffect, useRef, useState } from "react";
import type { NavbarProps } from "./navbar.tsx";
import { Navbar } from "./navbar.tsx";
import css from "./shell.module.css";

/** A folded menu opens after the pointer has rested on it this long, and closes as long after it left, ms (specification section 9). */
const HOVER_MS = 150;

/** The menu beside the page. Folded, it opens over the page while the pointer rests on it or the keyboard is inside. */
export function SideMenu({ folded, menu }: { folded: boolean; menu: Omit<NavbarProps, "narrow"> }) {
  const [hovered, setHovered] = useState(false);
  const [keyed, setKeyed] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function soon(next: boolean) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHovered(next), HOVER_MS);
  }
  function press() {
    // Whoever folds it wants it folded, though the pointer is still on its key.
    clearTimeout(timer.current);
    setHovered(false);
    setKeyed(false);
    menu.foot.onPress();
  }
  const over = folded && (hovered || keyed);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only shows more of what stands in it.
    <div
      className={css["side"]}
      data-over={over || undefined}
      // A finger does not hover: it would open the bar under its own tap.
      onPointerEnter={({ pointerType }) => pointerType !== "touch" && soon(true)}
      onPointerLeave={() => soon(false)}
      onFocus={({ target }) => setKeyed(target.matches(":focus-visible"))}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setKeyed(false);
      }}
    >
      <Navbar {...menu} foot={{ ...menu.foot, onPress: press }} narrow={folded && !over} />
    </div>
  );
}
