/* Only in builds with the address sanitizer: keeps shared libraries loaded to the end, so that the leak report can say
 * which library a block came from, and leaks.txt can leave those of Open MPI's plug-ins out. */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
