import type { HostKind } from '../../spec/model/scenario.ts';

/** Makes the value that the caller of a run hands to its tools. A tripwire reports whoever looks inside. */
export function hostValue(kind: HostKind, owner: string, touched: (how: string) => void): unknown {
  switch (kind) {
    case 'record':
      return { owner };
    case 'frozen':
      return Object.freeze({ owner });
    case 'function':
      return Object.defineProperty(() => owner, 'name', { value: owner });
    case 'symbol':
      return Symbol(owner);
    case 'tripwire':
      return tripwire(touched);
    case 'none':
      return undefined;
  }
}

/** A value that nobody but its owner may look into: every trap is reported. `then` is not, since `await` asks for it. */
function tripwire(touched: (how: string) => void): object {
  return new Proxy(
    {},
    {
      get: (_, key) => (key === 'then' ? undefined : void touched(`read ${String(key)}`)),
      set: (_, key) => (touched(`wrote ${String(key)}`), true),
      has: (_, key) => (touched(`asked for ${String(key)}`), false),
      deleteProperty: (_, key) => (touched(`deleted ${String(key)}`), true),
      ownKeys: () => (touched('listed its keys'), []),
      getOwnPropertyDescriptor: (_, key) => void touched(`described ${String(key)}`),
      defineProperty: (_, key) => (touched(`defined ${String(key)}`), true),
      getPrototypeOf: () => (touched('asked for its prototype'), Object.prototype),
      setPrototypeOf: () => (touched('changed its prototype'), true),
      preventExtensions: (target) => (touched('froze it'), Object.preventExtensions(target), true),
    },
  );
}
