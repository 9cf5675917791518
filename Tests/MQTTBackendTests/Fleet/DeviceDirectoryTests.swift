import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct DeviceDirectoryTests {
  /// Adds a device as the intake does.
  private static func add(
    _ name: String, at now: Int64, to directory: inout DeviceDirectory
  ) -> Int {
    let name = id(name)
    return directory.add(name, hash: DeviceDirectory.hash(name.name.utf8.span), at: now)
  }

  /// The names of the devices in the order of their last messages, the longest silent one first.
  private static func order(_ directory: DeviceDirectory) -> [String] {
    var directory = directory
    var names: [String] = []
    while let slot = directory.longestSilent {
      names.append(directory.id(of: slot)?.name ?? "none")
      directory.remove(slot)
    }
    return names
  }

  @Test func findsADeviceByItsBytes() {
    var directory = DeviceDirectory()
    let slot = Self.add("jane/phone", at: 1, to: &directory)
    #expect(directory.find(id("jane/phone")) == slot)
    #expect(directory.find(id("jane/phones")) == nil)
    #expect(directory.find(id("jane/phonE")) == nil)
  }

  @Test func distinguishesCanonicallyEquivalentNames() {
    var directory = DeviceDirectory()
    let composed = Self.add("a/\u{E9}", at: 1, to: &directory)
    #expect(directory.find(id("a/e\u{301}")) == nil)
    let decomposed = Self.add("a/e\u{301}", at: 1, to: &directory)
    #expect(directory.find(id("a/\u{E9}")) == composed)
    #expect(directory.find(id("a/e\u{301}")) == decomposed)
    #expect(id("a/\u{E9}") != id("a/e\u{301}"))
  }

  /// If all spellings of a name had one hash, building a set of them would take quadratic time.
  @Test("F70 identifiers are hashed by their bytes") func identifiersAreHashedByBytes() throws {
    let ids = try ChosenNames.all(1_024).map { try FleetDevice.ID(user: "jane", device: $0) }
    #expect(Set(ids.map(\.hashValue)).count > 1_000)
    #expect(Set(ids).count == 1_024)
  }

  @Test("F70 ten thousand spellings of a name need no extra comparisons", .longWork)
  func chosenNamesNeedNoExtraComparisons() throws {
    let count = 10_000
    func ids(_ names: some Sequence<String>) throws -> [FleetDevice.ID] {
      try names.prefix(count).map { try FleetDevice.ID(user: "jane", device: $0) }
    }
    let (chosen, plain) = (try ids(ChosenNames.all(16_384)), try ids((0..<count).map(String.init)))
    #expect(ChosenNames.comparisons(of: chosen) <= 2 * ChosenNames.comparisons(of: plain))
    // The same holds for the index of a fleet, which compares only names with equal hashes.
    var (directory, comparisons) = (DeviceDirectory(), 0)
    var index = NameIndex()
    for (slot, id) in chosen.enumerated() {
      let hash = DeviceDirectory.hash(id.name.utf8.span)
      #expect(directory.find(id) == nil)
      #expect(Self.add(id.name, at: 1, to: &directory) == slot)
      _ = index.find(hash) { _ in
        comparisons += 1
        return false
      }
      index.insert(slot, hash)
    }
    #expect(comparisons <= 10)
    #expect(directory.count == count)
  }

  @Test func ordersDevicesByLastMessage() {
    var directory = DeviceDirectory()
    let slots = ["a/a", "b/b", "c/c", "d/d"].enumerated()
      .map { Self.add($1, at: Int64($0), to: &directory) }
    directory.setLastHeard(slots[0], at: 10)
    directory.setLastHeard(slots[2], at: 11)
    directory.setLastHeard(slots[2], at: 12)
    #expect(Self.order(directory) == ["b/b", "d/d", "a/a", "c/c"])
  }

  @Test func usesSlotsOfRemovedDevicesAgain() {
    var directory = DeviceDirectory()
    let first = Self.add("a/a", at: 1, to: &directory)
    _ = Self.add("b/b", at: 1, to: &directory)
    directory.remove(first)
    #expect(directory.id(of: first) == nil)
    #expect(directory.find(id("a/a")) == nil)
    let reused = Self.add("c/c", at: 2, to: &directory)
    #expect(reused == first)
    #expect(directory.slotCount == 2)
    #expect(directory.count == 2)
    #expect(Self.order(directory) == ["b/b", "c/c"])
  }

  @Test(.longWork, arguments: 0..<4 as Range<UInt64>)
  func agreesWithAModel(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var directory = DeviceDirectory()
    var model: [String] = []
    for step in 0..<3_000 {
      let name = "user/\(Int.random(in: 0..<400, using: &generator))"
      let slot = directory.find(id(name))
      #expect((slot != nil) == model.contains(name))
      switch (slot, UInt8.random(in: 0..<3, using: &generator)) {
      case (let slot?, 0):
        directory.remove(slot)
        model.removeAll { $0 == name }
      case (let slot?, _):
        directory.setLastHeard(slot, at: Int64(step))
        model.removeAll { $0 == name }
        model.append(name)
      case (nil, _):
        _ = Self.add(name, at: Int64(step), to: &directory)
        model.append(name)
      }
    }
    #expect(directory.count == model.count)
    let names = (0..<directory.slotCount).compactMap { directory.id(of: $0)?.name }
    #expect(names.sorted() == model.sorted())
    #expect(Self.order(directory) == model)
  }
}
