/// The rules of Documentation/Architecture.md. Each returns its violations, one sentence each.
extension SourceTree {
  static let pageName = "Documentation/Architecture.md"

  /// Each target uses only targets below it.
  func orderOfTargets() -> [String] {
    var violations: [String] = []
    var below: Set<String> = []
    for target in page.targets.reversed() {
      for used in target.uses where !below.contains(used) {
        violations.append(
          "\(Self.pageName): '\(target.name)' uses '\(used)', which is not below it: reverse the "
            + "dependency, or move a row.")
      }
      below.insert(target.name)
    }
    return violations
  }

  /// Pure rooms and state machines name no module or type that performs I/O, waits, locks, is
  /// random or reads a clock.
  func purity() -> [String] {
    let impureModules: Set = ["CGPSDShims", "Dispatch", "Foundation", "Synchronization"]
    let impureTypes: Set = [
      "Atomic", "ContinuousClock", "DispatchQueue", "DispatchSource", "FileHandle", "FileManager",
      "FileThread", "Folder", "Locked", "Mutex", "OpenFile", "ProcessInfo", "SuspendingClock",
      "SystemFileCalls", "SystemRandomNumberGenerator", "Task", "TaskGroup", "Thread",
    ]
    let libraries: Set = ["Darwin", "Glibc", "Musl"]
    let pureRooms = Set(page.rooms.filter(\.isPure).map(\.path))
    let libraryRooms = Set(page.rooms.filter(\.usesLibrary).map(\.path))
    return sources.flatMap { file -> [String] in
      let isPureRoom = pureRooms.contains(file.room)
      guard isPureRoom || file.name.contains("StateMachine") else { return [] }
      let reason = isPureRoom ? "the room '\(file.room)' is pure" : "a state machine is pure"
      let mayUseLibrary = !isPureRoom || libraryRooms.contains(file.room)
      return file.names.imports
        .filter {
          impureModules.contains($0.text) || !mayUseLibrary && libraries.contains($0.text)
        }
        .map { "\(file.path):\($0.line): import \($0.text): \(reason)." }
        + file.names.all.filter { impureTypes.contains($0.text) && !$0.isMember }
        .map { "\(file.path):\($0.line): \($0.text): \(reason)." }
    }
  }

  /// Each room names only types of rooms below it, except those that the page lists. Rooms of one
  /// top-level folder may name each other's types.
  ///
  /// Only names of types count; a member that a higher room adds in an extension does not.
  func orderOfRooms() -> [String] {
    // The rooms that declare a type. The key contains the target, because two targets may each
    // declare a type of the same name.
    var homes: [String: Set<String>] = [:]
    var declared: Set<String> = []
    for file in sources {
      for type in file.names.types(atTopLevelOnly: true) {
        homes["\(file.target) \(type.text)", default: []].insert(file.room)
      }
      declared.formUnion(
        file.names.types(atTopLevelOnly: false).map { "\(file.room) \($0.text)" })
    }
    let ranks = Dictionary(
      page.rooms.reversed().enumerated().map { ($1.path, $0) }, uniquingKeysWith: { $1 })
    let exceptions = Set(page.exceptions.flatMap { row in row.types.map { "\(row.room) \($0)" } })
    var needed: Set<String> = []
    var violations: [String] = []
    for file in sources {
      // `scripts/architecture --check` reports rooms without a row.
      guard let rank = ranks[file.room] else { continue }
      var seen: Set<String> = []
      for name in file.names.all where name.isType && !name.isMember {
        let use = "\(file.room) \(name.text)"
        guard let home = homes["\(file.target) \(name.text)"], !declared.contains(use),
          !home.contains(where: { Self.folder($0) == Self.folder(file.room) }),
          home.allSatisfy({ ranks[$0] ?? 0 > rank }), seen.insert(name.text).inserted
        else { continue }
        if exceptions.contains(use) {
          needed.insert(use)
        } else {
          violations.append(
            "\(file.path):\(name.line): \(name.text): a type of '\(home.sorted().joined())', which "
              + "is above '\(file.room)' in \(Self.pageName).")
        }
      }
    }
    return violations
      + exceptions.subtracting(needed).sorted().map {
        "\(Self.pageName): the exception '\($0)' is not needed: remove it."
      }
  }

  /// The top-level folder of a room's target that contains the room, such as `GPSDReports/Wire`.
  private static func folder(_ room: String) -> String {
    room.split(separator: "/").prefix(2).joined(separator: "/")
  }
}
