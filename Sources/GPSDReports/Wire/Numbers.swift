/// Optional numbers by index, at most 64, stored inline without the padding of optionals.
@usableFromInline
struct Numbers<let capacity: Int>: Sendable {
  @usableFromInline var values = InlineArray<capacity, Double>(repeating: 0)
  /// Bit n is set if number n is present. The values of absent numbers are meaningless.
  @usableFromInline var present: UInt64 = 0

  @inlinable subscript(_ index: Int) -> Double? {
    @inline(__always) get {
      present >> UInt64(truncatingIfNeeded: index) & 1 == 1 ? values[index] : nil
    }
  }

  @inline(__always)
  mutating func set(_ index: Int, _ value: Double) {
    values[index] = value
    present |= 1 << UInt64(truncatingIfNeeded: index)
  }

  @inline(__always)
  mutating func remove(_ index: Int) { present &= ~(1 << UInt64(truncatingIfNeeded: index)) }

  /// Replaces all numbers, one by one in place; an assignment would copy them twice.
  mutating func replace(with others: borrowing Self) {
    present = others.present
    for index in 0..<capacity { values[index] = others.values[index] }
  }

  /// Replaces the numbers that are present in the other; the rest stays unchanged.
  mutating func update(with others: borrowing Self) {
    present |= others.present
    for index in 0..<capacity where others.present >> UInt64(index) & 1 == 1 {
      values[index] = others.values[index]
    }
  }

  @inline(__always)
  mutating func removeAll() { present = 0 }
}

extension Numbers: Hashable {
  @usableFromInline
  static func == (left: Self, right: Self) -> Bool {
    left.present == right.present && (0..<capacity).allSatisfy { left[$0] == right[$0] }
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    for index in 0..<capacity { hasher.combine(self[index]) }
  }
}
