@main
struct Example {
  static func main() async {
    print(Help.text(nil))
  }
}
