import Dispatch
import Glibc
import Tally

/// A client of the library that reads every fix until the server closes, and then prints the line
/// of `Tally`.
///
/// The main thread waits for a detached task, which runs off the main actor as in a service. With
/// an asynchronous `main` the main thread would end, which crashes valgrind.
@main
struct Loop {
  static func main() {
    guard let mode = Mode(CommandLine.arguments.dropFirst()) else {
      complain(Mode.usage)
      exit(2)
    }
    let done = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: mode.executor) {
      do {
        let remarks = try await mode.run()
        tally_end()
        print(remarks)
      } catch {
        complain("async-location-loop: \(error)\n")
        exit(1)
      }
      done.signal()
    }
    done.wait()
  }
}

private func complain(_ text: String) {
  let bytes = Array(text.utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
