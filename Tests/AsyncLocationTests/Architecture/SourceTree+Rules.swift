/// The rules of Documentation/Architecture.md. Each gives its violations, one sentence each.
extension SourceTree {
  static let pageName = "Documentation/Architecture.md"

  /// Each target imports only the modules of targets that its row lists, which are below it.
  func importsOfTargets() -> [String] {
    var wrong: [String] = []
    var below: Set<String> = []
    for target in page.targets.reversed() {
      for used in target.uses where !below.contains(used) {
        wrong.append(
          "\(Self.pageName): '\(target.name)' uses '\(used)', which is not below it: reverse the "
            + "dependency, or move a row.")
      }
      below.insert(target.name)
    }
    let modules = Dictionary(
      page.targets.map { (Self.module($0.name), $0) }, uniquingKeysWith: { $1 })
    for file in sources + tests {
      guard let target = page.targets.first(where: { $0.name == file.target }) else {
        wrong.append("\(file.path): add a row for the target '\(file.target)' to \(Self.pageName).")
        continue
      }
      for module in file.names.imports {
        guard let imported = modules[module.text], imported.name != target.name,
          !target.uses.contains(imported.name)
        else { continue }
        wrong.append(
          "\(file.path):\(module.line): import \(module.text): '\(target.name)' may import "
            + "\(Self.list(target.uses)) of this package, by its row in \(Self.pageName).")
      }
    }
    return wrong
  }

  /// Each folder has a row, and each row a folder; the files import the modules of the row.
  func importsOfRooms() -> [String] {
    var wrong: [String] = []
    var imported: [String: Set<String>] = [:]
    let rooms = Dictionary(page.rooms.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    for file in sources {
      let seen = imported[file.room]
      imported[file.room, default: []].formUnion(file.names.imports.map { Self.library($0.text) })
      guard let room = rooms[file.room] else {
        if seen == nil {
          wrong.append("\(file.path): add a row for the room '\(file.room)' to \(Self.pageName).")
        }
        continue
      }
      for module in file.names.imports where !room.imports.contains(Self.library(module.text)) {
        wrong.append(
          "\(file.path):\(module.line): import \(module.text): the room '\(room.path)' imports "
            + "\(Self.list(room.imports)), by its row in \(Self.pageName).")
      }
    }
    for room in page.rooms {
      guard let modules = imported[room.path] else {
        wrong.append("\(Self.pageName): '\(room.path)' has no Swift files: remove its row.")
        continue
      }
      for module in room.imports where !modules.contains(module) {
        wrong.append(
          "\(Self.pageName): no file of '\(room.path)' imports \(module): remove it from the row.")
      }
    }
    return wrong
  }

  /// Pure rooms and state machines name nothing that waits, locks, draws lots or reads a clock.
  func purity() -> [String] {
    let impureModules: Set = ["CGPSDShims", "Dispatch", "Foundation", "Synchronization"]
    let impureTypes: Set = [
      "Atomic", "ContinuousClock", "DispatchQueue", "DispatchSource", "FileHandle", "FileManager",
      "FileThread", "Locked", "Mutex", "ProcessInfo", "SuspendingClock",
      "SystemRandomNumberGenerator", "Task", "TaskGroup", "Thread",
    ]
    let pureRooms = Set(page.rooms.filter(\.isPure).map(\.path))
    return sources.flatMap { file -> [String] in
      let isRoom = pureRooms.contains(file.room)
      guard isRoom || file.name.contains("StateMachine") else { return [] }
      let reason = isRoom ? "the room '\(file.room)' is pure" : "a state machine is pure"
      return file.names.imports.filter { impureModules.contains($0.text) }
        .map { "\(file.path):\($0.line): import \($0.text): \(reason)." }
        + file.names.all.filter { impureTypes.contains($0.text) && !$0.isMember }
        .map { "\(file.path):\($0.line): \($0.text): \(reason)." }
    }
  }

  /// Each room names only types of rooms below it, except those that the page lists.
  ///
  /// A type counts where its name stands. A member that a higher room adds in an extension does not.
  func orderOfRooms() -> [String] {
    // A type may have one name in two targets.
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
    var wrong: [String] = []
    for file in sources {
      // Rooms without a row are reported by another rule.
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
          wrong.append(
            "\(file.path):\(name.line): \(name.text): a type of '\(home.sorted().joined())', which "
              + "is above '\(file.room)' in \(Self.pageName).")
        }
      }
    }
    return wrong
      + exceptions.subtracting(needed).sorted().map {
        "\(Self.pageName): the exception '\($0)' is not needed: remove it."
      }
  }

  /// The folder of a target that a room is or is in, such as `GPSDBackend/Wire`.
  private static func folder(_ room: String) -> String {
    room.split(separator: "/").prefix(2).joined(separator: "/")
  }

  /// The module of a target.
  private static func module(_ target: String) -> String {
    String(target.map { $0 == "-" ? "_" : $0 })
  }

  /// The C library has several names.
  private static func library(_ module: String) -> String {
    ["Darwin", "Musl"].contains(module) ? "Glibc" : module
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "nothing" : "only \(names.joined(separator: ", "))"
  }
}
