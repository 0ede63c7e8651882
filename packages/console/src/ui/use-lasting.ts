import { useEffect, useState } from 'react';

/** True once the condition has held for this long, so that short waits show nothing. */
export function useLasting(condition: boolean, ms: number): boolean {
  const [isLasting, setIsLasting] = useState(false);
  useEffect(() => {
    if (!condition) return undefined;
    const timer = setTimeout(setIsLasting, ms, true);
    return () => {
      clearTimeout(timer);
      setIsLasting(false);
    };
  }, [condition, ms]);
  return isLasting;
}
