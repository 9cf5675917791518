import Glibc

/// Resolves a path into the names and folders that determine its target, symbolic links included.
enum PathWalk {
  /// A name that is looked up in a folder.
  struct Step: Hashable, Sendable {
    let folder: String
    let name: String
  }

  /// The maximum number of symbolic links in a path, as on Linux.
  private static let maximumLinks = 40

  /// Returns every name that is looked up to resolve the path, up to the first that does not exist.
  static func steps(to path: String) -> [Step] {
    var steps: [Step] = []
    var (folder, links) = ("/", 0)
    var rest = absolute(path).split(separator: "/").map(String.init)[...]
    while let name = rest.popFirst() {
      if name == "." { continue }
      if name == ".." {
        folder = self.folder(of: folder)
        continue
      }
      steps.append(Step(folder: folder, name: name))
      let fullPath = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      if let target = target(of: fullPath) {
        links += 1
        guard links <= maximumLinks else { break }
        rest = target.split(separator: "/").map(String.init)[...] + rest
        if target.hasPrefix("/") { folder = "/" }
      } else if exists(fullPath) {
        folder = fullPath
      } else {
        break
      }
    }
    return steps
  }

  /// The folder that contains the last name of a path.
  static func folder(of path: String) -> String {
    let path = absolute(path)
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return "/" }
    return String(path[..<end])
  }

  /// The target of a symbolic link; nil if the path is not a symbolic link.
  static func target(of link: String) -> String? {
    let limit = Int(PATH_MAX)
    var bytes = [CChar](repeating: 0, count: limit)
    let length = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe readlink(link, $0, limit) } ?? -1
    }
    guard length > 0 else { return nil }
    return String(validating: bytes[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// The absolute path; a relative one is resolved against the current folder.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let current = unsafe getcwd(nil, 0) else { return "/\(path)" }
    defer { unsafe free(current) }
    return unsafe String(cString: current) + "/" + path
  }
}
