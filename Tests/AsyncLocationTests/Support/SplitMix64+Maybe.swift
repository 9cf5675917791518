import MockBackend

extension SplitMix64 {
  /// A value or nil, with equal probability.
  mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? {
    Bool.random(using: &self) ? value(&self) : nil
  }
}
