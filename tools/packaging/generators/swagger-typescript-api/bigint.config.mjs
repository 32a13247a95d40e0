export default {
  primitiveTypeConstructs: (types) => ({
    ...types,
    integer: { int64: () => 'bigint', $default: () => 'number' },
  }),
};
